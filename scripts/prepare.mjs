// Makes what Next does not: the files that Python and the engine need in the browser. Idempotent; every file it writes lies at a
// URL with a version or a hash in it, so it may be cached for ever.
//   public/pyodide/<version>/      the Python runtime, copied from the npm package
//   public/torch/<hash>.zip        engine/python and engine/session/python, sources and bytecode (see packTorch)
//   public/workers/<name>.<hash>.js  engine/session/worker.ts, one ES module (Turbopack would make a classic worker of it)
//   app/generated/assets.ts        the URLs
//   app/generated/torch-names.ts   names in torch, for the editor's completion
//   app/generated/witnesses.json   the reference's value of every <Num> (scripts/witness.ts); a wrong number in prose fails here
//   app/generated/torch-signatures.ts  signatures and first lines of docstrings, for its signature help
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

const PYODIDE_FILES = ['pyodide.mjs', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip'];
const PYTHON_SOURCES = ['engine/python', 'engine/session/python'];
const WORKER = 'engine/session/worker.ts';
const WITNESSES = 'app/generated/witnesses.json';
const WITNESS_STAMP = '.cache/witness-stamp';

/** Writes only what changed, so that watchers stay quiet. */
function writeIfChanged(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Empties `dir` except for `keep`: only the current version is shipped. */
function removeOthers(dir, keep) {
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    if (name !== keep) rmSync(join(dir, name), { recursive: true, force: true });
  }
}

function copyPyodide() {
  const from = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));
  const { version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const to = join('public/pyodide', version);
  removeOthers('public/pyodide', version);
  mkdirSync(to, { recursive: true });
  for (const file of PYODIDE_FILES) if (!existsSync(join(to, file))) copyFileSync(join(from, file), join(to, file));
  // Pyodide checks the version in its list of packages; ours is empty, so that nobody downloads the list.
  const { info } = JSON.parse(readFileSync(join(from, 'pyodide-lock.json'), 'utf8'));
  return { url: `/pyodide/${version}/`, version, lock: JSON.stringify({ info, packages: {} }) };
}

/**
 * Our Python as a zip that goes on sys.path as it is: `torch/x.py` and, beside it, `torch/x.pyc`. The bytecode comes from Pyodide
 * itself (the same CPython that will import it) and is "unchecked-hash" (PEP 552): imported without a look at the source.
 */
async function packTorch(pyodideVersion, log) {
  const sources = PYTHON_SOURCES.flatMap((folder) =>
    (existsSync(folder) ? readdirSync(folder, { recursive: true }) : [])
      .map((name) => name.split('\\').join('/'))
      .filter((name) => name.endsWith('.py'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
  const hash = createHash('sha256')
    .update(pyodideVersion)
    .update(JSON.stringify(sources))
    .update(readFileSync(new URL(import.meta.url)))
    .digest('hex')
    .slice(0, 12);
  const file = `public/torch/${hash}.zip`;
  const names = `.cache/torch-names/${hash}.json`;
  if (!existsSync(file) || !existsSync(names)) {
    log(`compiling torch (${sources.length} Python files)`);
    const { loadPyodide } = await import('pyodide');
    const python = await loadPyodide();
    python.globals.set('sources', python.toPy(sources));
    python.runPython(`
import os, py_compile, zipfile
with zipfile.ZipFile("/torch.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    def add(name, data):
        # A fixed date: the same sources give the same bytes.
        archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    for name, text in sources:
        path = f"/sources/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        # Raises PyCompileError, with file and line, on a syntax error.
        compiled = py_compile.compile(path, dfile=f"/lib/torch.zip/{name}", doraise=True,
                                      invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        add(name, text)
        with open(compiled, "rb") as f:
            add(f"{name}c", f.read())
`);
    const bytes = python.FS.readFile('/torch.zip');
    mkdirSync('public/torch', { recursive: true });
    writeFileSync(file, bytes);
    writeIfChanged(
      names,
      python.runPython(`
import sys
sys.path.insert(0, "/torch.zip")
import json
try:
    import torch, torch.nn.functional
except Exception as error:
    print(f"prepare: no completion of torch's names, because it can't be imported: {type(error).__name__}: {error}")
    torch = None
import inspect, re

def public(owner):
    return [name for name in dir(owner) if not name.startswith("_")]

def described(value):
    """[parameters, first line of the docstring] of a callable, or None where Python can't say."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return None
    written, keyword_only = [], False
    for p in parameters:
        # What only the implementation passes, and what is caught to be refused by name.
        if p.name in ("self", "cls") and not written or p.name.startswith("_") or p.name == "unknown":
            continue
        if p.kind is p.KEYWORD_ONLY and not keyword_only and not any(w.startswith("*") for w in written):
            written.append("*")
        keyword_only = keyword_only or p.kind is p.KEYWORD_ONLY
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else "=" + re.sub(r"^<.*>$", "...", repr(p.default))
        written.append(f"{star}{p.name}{default}")
    doc = (inspect.getdoc(value) or "").strip().split("\\n\\n")[0].replace("\\n", " ")
    return [", ".join(written), doc if len(doc) <= 240 else doc[:239] + "…"]

modules = {name: module for name, module in sorted(sys.modules.items())
           if (name == "torch" or name.startswith("torch.")) and "._" not in name}
signatures, classes = {}, {}
for name, module in modules.items():
    if name.startswith("torch.nn.modules."):
        continue  # torch.nn has them all
    signatures[name] = {}
    for member in public(module):
        value = getattr(module, member)
        if not callable(value) or (entry := described(value)) is None:
            continue
        signatures[name][member] = entry
        if isinstance(value, type) and value.__module__.split(".")[0] == "torch":
            classes.setdefault(value.__name__, value)  # torch.amp.GradScaler, not its namesake in torch.cuda.amp
if torch:
    classes["Tensor"] = torch.Tensor
# A class lists what it defines itself; "bases" leads to the rest.
for value in list(classes.values()):
    for base in value.__mro__:
        if base.__module__.split(".")[0] == "torch":
            classes.setdefault(base.__name__, base)
methods = {
    name: {
        "bases": [base.__name__ for base in value.__bases__ if base.__name__ in classes],
        "methods": {
            member: entry
            for member, function in vars(value).items()
            if not member.startswith("_") and callable(getattr(value, member, None))
            and (entry := described(getattr(value, member))) is not None
        },
    }
    for name, value in sorted(classes.items())
}
json.dumps({
    "names": {
        **{name: public(module) for name, module in modules.items()},
        "Tensor": public(torch.Tensor) if torch else [],
    },
    "modules": signatures,
    "classes": methods,
})`),
    );
  }
  removeOthers('public/torch', `${hash}.zip`);
  removeOthers('.cache/torch-names', `${hash}.json`);
  const { names: torchNames, modules, classes } = JSON.parse(readFileSync(names, 'utf8'));
  writeIfChanged(
    'app/generated/torch-names.ts',
    `// Written by scripts/prepare.mjs: what the editor completes, by module; "Tensor" has a tensor's methods.
export const torchNames: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(torchNames)};
`,
  );
  writeIfChanged(
    'app/generated/torch-signatures.ts',
    `// Written by scripts/prepare.mjs: [parameters, documentation] of every callable, by module and by class.
import type { TorchSurface } from '@/app/components/runner/torch-surface';

export const torchSurface: TorchSurface = JSON.parse(${JSON.stringify(JSON.stringify({ modules, classes }))});
`,
  );
  return `/torch/${hash}.zip`;
}

async function bundleWorker(log) {
  if (!existsSync(WORKER)) {
    log(`skipped: ${WORKER} does not exist yet`);
    return '';
  }
  const { outputFiles } = await esbuild.build({
    entryPoints: [WORKER],
    bundle: true,
    write: false,
    outdir: 'public/workers',
    entryNames: 'session.[hash]',
    format: 'esm',
    target: 'es2022',
    minify: process.env.NODE_ENV !== 'development',
    legalComments: 'none',
    loader: { '.wgsl': 'text' },
    logLevel: 'warning',
  });
  const [output] = outputFiles;
  const name = output.path.split(/[\\/]/).at(-1);
  removeOthers('public/workers', name);
  writeIfChanged(join('public/workers', name), output.text);
  return `/workers/${name}`;
}

/** Runs scripts/witness.ts where a text or the engine has changed since it last succeeded. */
function witnessNumbers(engine, log) {
  const hash = createHash('sha256').update(engine);
  for (const root of ['content', 'exercises', 'app/content'])
    for (const name of existsSync(root) ? readdirSync(root, { recursive: true }).sort() : [])
      if (/\.mdx$|^witness.*\.ts$/.test(name)) hash.update(name).update(readFileSync(join(root, name)));
  const stamp = hash.update(readFileSync('scripts/witness.ts')).digest('hex');
  if (existsSync(WITNESSES) && existsSync(WITNESS_STAMP) && readFileSync(WITNESS_STAMP, 'utf8') === stamp) return;
  log('running the numbers of the prose');
  const lenient = process.env.NODE_ENV === 'development';
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/tsx/dist/cli.mjs', 'scripts/witness.ts', ...(lenient ? ['--lenient'] : [])],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error('numbers in the prose are wrong (see above)');
  writeIfChanged(WITNESS_STAMP, stamp);
}

export async function prepare(log = (line) => console.log(`prepare: ${line}`)) {
  const pyodide = copyPyodide();
  const [torch, worker] = [await packTorch(pyodide.version, log), await bundleWorker(log)];
  witnessNumbers(`${torch} ${worker}`, log);
  const bytes = (file) => (existsSync(file) ? statSync(file).size : 0);
  const sizes = Object.fromEntries(PYODIDE_FILES.map((file) => [file, bytes(join('public', pyodide.url, file))]));
  writeIfChanged(
    'app/generated/assets.ts',
    `// Written by scripts/prepare.mjs: where the runtime's files lie. An empty string: that file could not be made yet.
import type { AssetUrls } from '@/engine/session/files';

export const assets: AssetUrls = {
  pyodide: '${pyodide.url}',
  lock: ${JSON.stringify(pyodide.lock)},
  torch: '${torch}',
  sessionWorker: '${worker}',
  sizes: {
${Object.entries(sizes)
  .map(([name, size]) => `    '${name}': ${size},`)
  .join('\n')}
    torch: ${bytes(join('public', torch))},
    sessionWorker: ${bytes(join('public', worker))},
  },
};
`,
  );
  return { pyodide: pyodide.url, torch, worker };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await prepare();
  } catch (error) {
    // Not the whole error: it carries Pyodide's own source, a line of a megabyte.
    console.error(`prepare: ${error.message}`);
    process.exitCode = 1;
  }
}
