/**
 * Who may import whom (docs/ARCHITECTURE.md). Each comment says what to import instead.
 * @type {import('dependency-cruiser').IConfiguration}
 */
module.exports = {
  forbidden: [
    {
      name: 'formats-import-nothing',
      comment: 'engine/formats is the bottom: move what you need into formats, or let the caller pass it in.',
      severity: 'error',
      from: { path: '^engine/formats/' },
      to: { pathNot: '^engine/formats/' },
    },
    {
      name: 'ops-import-formats-only',
      comment:
        'An op record may use engine/formats and other files of engine/ops. A gradient uses the Builder that it is given, not core.',
      severity: 'error',
      from: { path: '^engine/ops/' },
      to: { pathNot: '^engine/(ops|formats)/' },
    },
    {
      name: 'backends-import-formats-and-ops-only',
      comment:
        'A backend sees engine/formats, engine/ops and engine/backends/backend.ts; core calls it through that interface.',
      severity: 'error',
      from: { path: '^engine/backends/(cpu|webgpu)/' },
      to: { path: '^engine/(core|session|python)/' },
    },
    {
      name: 'backends-do-not-import-each-other',
      comment:
        'cpu and webgpu are independent witnesses. Share exact arithmetic through engine/formats; the session hands webgpu its reference runner.',
      severity: 'error',
      from: { path: '^engine/backends/(cpu|webgpu)/' },
      to: { path: '^engine/backends/(cpu|webgpu)/', pathNot: '^engine/backends/$1/' },
    },
    {
      name: 'core-sees-the-backend-interface-only',
      comment: 'Import engine/backends/backend.ts (the interface); engine/session injects a concrete backend.',
      severity: 'error',
      from: { path: '^engine/core/' },
      to: { path: '^engine/(backends/(cpu|webgpu)|session)/' },
    },
    {
      name: 'engine-imports-nothing-outside',
      comment: 'The engine is pure TypeScript and WGSL. Pages import the engine, never the other way round.',
      severity: 'error',
      from: { path: '^engine/' },
      to: { path: '^(app|content|exercises|scripts|tests)/' },
    },
    {
      name: 'engine-knows-no-ui-library',
      comment: 'Next and React belong in app/. Return plain data from the engine and render it there.',
      severity: 'error',
      from: { path: '^(engine|exercises)/' },
      to: { path: '(^|/)node_modules/(next|react|react-dom)/' },
    },
    {
      name: 'only-session-knows-pyodide',
      comment: 'Use engine/session/session.ts (the Session interface) to run Python.',
      severity: 'error',
      from: { path: '^(app|engine|exercises)/', pathNot: '^engine/session/' },
      to: { path: '(^|/)node_modules/pyodide/' },
    },
    {
      name: 'only-webgpu-backend-knows-webgpu',
      comment: 'Device access goes through engine/backends/webgpu; Node tests and benchmarks get Dawn there too.',
      severity: 'error',
      from: { path: '^(app|engine|exercises)/', pathNot: '^engine/(backends/webgpu|session)/' },
      to: { path: '(^|/)node_modules/(webgpu|@webgpu)/' },
    },
    {
      name: 'nobody-imports-app-or-tests',
      comment: 'app/ is the top. Move shared code below it: engine/ for numbers, exercises/kit for grading.',
      severity: 'error',
      from: { path: '^(engine|exercises|content)/' },
      to: { path: '^(app|tests)/' },
    },
    {
      name: 'questions-see-the-engine-only',
      comment:
        'A prediction generator asks content/questions/kit (torch-calls.ts) for numbers, or engine/formats for constants; pages import it, never the other way round.',
      severity: 'error',
      from: { path: '^content/questions/' },
      to: { pathNot: '^(content/|engine/(formats|session/bridge\\.ts))', dependencyTypesNot: ['core'] },
    },
    {
      name: 'app-does-not-import-tests',
      comment: 'Fixtures that a page needs are content; put them in content/ or exercises/.',
      severity: 'error',
      from: { path: '^app/' },
      to: { path: '^tests/' },
    },
    {
      name: 'no-cycles',
      comment:
        'Split the file: put what both sides need in a third one that imports neither. (Type-only imports may be circular.)',
      severity: 'error',
      from: { path: '^(app|content|engine|exercises|scripts)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolved',
      comment: 'The file does not exist, or the package is not in package.json.',
      severity: 'error',
      from: { path: '^(app|content|engine|exercises|scripts|tests)/' },
      to: { couldNotResolve: true, pathNot: '(^|/)generated/' },
    },
    {
      name: 'no-dev-dependency-in-product',
      comment: 'Move the package to "dependencies" and say why in docs/decisions/0004-dependencies.md.',
      severity: 'error',
      from: { path: '^(app|engine)/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(@types|@webgpu)/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next|out|public|app/generated)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
};
