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
    rules: { '*.wgsl': { type: 'text' } },
  },
};
