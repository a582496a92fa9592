/** WGSL files are imported as their text (Next's turbopack.rules, esbuild's text loader, and a Vitest plugin agree on this). */
declare module '*.py' {
  const source: string;
  export default source;
}
declare module '*.wgsl' {
  const source: string;
  export default source;
}
