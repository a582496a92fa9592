/** float32 functions that WGSL's built-ins compute too coarsely or not at all near their hard points. */
export {};
