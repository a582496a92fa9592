/** @type {import('next').NextConfig} */
export default {
  output: 'export',
  trailingSlash: true,
  poweredByHeader: false,
  reactStrictMode: true,
  agentRules: false,
  images: { unoptimized: true },
  // Types are checked by `npm run types`, with the same compiler and all projects.
  typescript: { ignoreBuildErrors: true },
  // They load native code or evaluate what they compile; bundling them breaks that.
  serverExternalPackages: ['mdx-bundler', 'esbuild'],
  turbopack: {
    root: import.meta.dirname,
    // Python too: the scenarios of a widget lie beside it as files that run anywhere.
    rules: { '*.wgsl': { type: 'text' }, '*.py': { type: 'text' } },
  },
};
