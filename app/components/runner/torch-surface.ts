/** What a name in a script stands for in our torch: its parameters and its documentation, as the build read them out of engine/python/torch. */

/** [parameters as Python writes them, documentation of a sentence or two] */
export type Signature = readonly [parameters: string, documentation: string];

export interface TorchSurface {
  /** Callables by module: "torch.nn.functional" -> "softmax". */
  readonly modules: Readonly<Record<string, Readonly<Record<string, Signature>>>>;
  /** Methods by class, each class with what it defines itself. */
  readonly classes: Readonly<
    Record<string, { readonly bases: readonly string[]; readonly methods: Readonly<Record<string, Signature>> }>
  >;
}

export interface Named {
  /** "torch.nn.Linear", "GradScaler.unscale_". */
  readonly name: string;
  readonly parameters: string;
  readonly documentation: string;
}

/** Names that a script gives to modules and to what it takes from them: "F" -> "torch.nn.functional". */
export function importsOf(code: string): ReadonlyMap<string, string> {
  // Without an import of its own, a snippet means the usual names.
  const names = new Map([
    ['torch', 'torch'],
    ['nn', 'torch.nn'],
    ['F', 'torch.nn.functional'],
  ]);
  for (const [, module, alias] of code.matchAll(/^[ \t]*import[ \t]+(torch(?:\.\w+)*)(?:[ \t]+as[ \t]+(\w+))?/gm)) {
    if (alias) names.set(alias, module);
  }
  for (const [, module, list] of code.matchAll(/^[ \t]*from[ \t]+(torch(?:\.\w+)*)[ \t]+import[ \t]+\(?([^)\n]+)/gm)) {
    for (const [, name, alias] of list.matchAll(/(\w+)(?:[ \t]+as[ \t]+(\w+))?/g)) {
      names.set(alias ?? name, `${module}.${name}`);
    }
  }
  return names;
}

/** The path with its first name written out: "F.softmax" -> "torch.nn.functional.softmax". */
export function expanded(path: string, imports: ReadonlyMap<string, string>): string {
  const [first, ...rest] = path.split('.');
  return [imports.get(first) ?? first, ...rest].join('.');
}

const split = (path: string): readonly [string, string] => {
  const dot = path.lastIndexOf('.');
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
};

const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record && Object.hasOwn(record, key) ? record[key] : undefined;

/** The method of a class or of the nearest base that has it. */
function method(surface: TorchSurface, className: string, name: string): Named | undefined {
  const queue = [className];
  const seen = new Set<string>();
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const entry = own(surface.classes, next);
    if (!entry || seen.has(next)) continue;
    seen.add(next);
    const found = own(entry.methods, name);
    if (found) return { name: `${next}.${name}`, parameters: found[0], documentation: found[1] };
    queue.push(...entry.bases);
  }
  return undefined;
}

/** Variables that hold torch objects by a name that everybody gives them. */
const CUSTOMARY: Readonly<Record<string, string>> = {
  scaler: 'GradScaler',
  optimizer: 'Optimizer',
  opt: 'Optimizer',
  model: 'Module',
  net: 'Module',
  scheduler: 'LRScheduler',
};

/** The class of a variable: from where the script makes it, or from what it is called. */
function classOf(variable: string, code: string, surface: TorchSurface, imports: ReadonlyMap<string, string>) {
  const made = [...code.matchAll(/^[ \t]*(\w+)[ \t]*=[ \t]*([A-Za-z_][\w.]*)\(/gm)]
    .filter((m) => m[1] === variable)
    .at(-1);
  if (made) {
    const [, name] = split(expanded(made[2], imports));
    if (Object.hasOwn(surface.classes, name)) return name;
  }
  return own(CUSTOMARY, variable);
}

/** What `path` (as it stands in `code`) names in torch, or undefined where that can't be said. */
export function lookUp(path: string, code: string, surface: TorchSurface): Named | undefined {
  const imports = importsOf(code);
  const full = expanded(path, imports);
  const [owner, name] = split(full);
  const listed = own(own(surface.modules, owner), name);
  if (listed) return { name: full, parameters: listed[0], documentation: listed[1] };
  if (owner === '') return undefined;
  // torch.Tensor.sum, nn.Module.zero_grad
  const [, ownerName] = split(owner);
  const direct = owner.startsWith('torch.') ? method(surface, ownerName, name) : undefined;
  if (direct) return direct;
  if (own(surface.modules, owner)) return undefined;
  const known = owner.includes('.') ? undefined : classOf(owner, code, surface, imports);
  if (known) {
    const found = method(surface, known, name);
    if (found) return found;
  }
  return (
    method(surface, 'Tensor', name) ??
    method(surface, 'Module', name) ??
    method(surface, 'Optimizer', name) ??
    undefined
  );
}

/** Parameters one by one: "a, *, b=(1, 2)" -> ["a", "*", "b=(1, 2)"]. */
export function parametersOf(signature: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let quote = '';
  for (let i = 0; i < signature.length; i++) {
    const c = signature[i];
    if (quote) quote = c === quote ? '' : quote;
    else if (c === "'" || c === '"') quote = c;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) {
      parts.push(signature.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = signature.slice(start).trim();
  return last ? [...parts, last] : parts;
}

/** Which parameter an argument goes to: by keyword, or by its place. -1: none. */
export function activeParameter(parameters: readonly string[], place: number, keyword?: string): number {
  if (keyword !== undefined) return parameters.findIndex((p) => p.split('=')[0] === keyword);
  const star = parameters.findIndex((p) => p.startsWith('*'));
  if (star >= 0 && place >= star) return parameters[star] === '*' ? -1 : star;
  return place < parameters.length ? place : -1;
}
