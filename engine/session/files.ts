/** Fetching what Python needs, in the page (so that the service worker serves it offline), with progress in bytes. */
import type { PythonFiles } from './messages';
import type { Progress } from './session';

/** Where the runtime's files lie; app/generated/assets.ts, written at build time. */
export interface AssetUrls {
  /** Folder of pyodide.mjs, pyodide.asm.mjs, pyodide.asm.wasm and python_stdlib.zip. */
  readonly pyodide: string;
  /** Pyodide's list of packages, as JSON: no packages, only the versions that Pyodide checks. */
  readonly lock: string;
  /** torch.zip: a zip for sys.path. */
  readonly torch: string;
  /** worker.ts, bundled as one ES module. */
  readonly sessionWorker: string;
  /** Uncompressed bytes, by file name, for the progress bar. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** Two downloads: a worker can be started while the bigger one is under way. */
export interface Files {
  /** The source of worker.ts. */
  readonly worker: Promise<string>;
  readonly python: Promise<PythonFiles>;
}

type OnProgress = (progress: Progress) => void;

/** The promises reject with an Error that says which file, why, and what to do. */
export function fetchFiles(urls: AssetUrls, onProgress: OnProgress): Files {
  const total = Object.values(urls.sizes).reduce((sum, size) => sum + size, 0);
  let received = 0;
  const count = (bytes: number) => {
    received += bytes;
    onProgress({ label: 'Downloading Python', fraction: total > 0 ? Math.min(1, received / total) : undefined });
  };

  const open = async (url: string): Promise<Response> => {
    if (url === '') throw new Error('this build of the site lacks the Python runtime: run `npm run build` again');
    let response: Response;
    try {
      response = await fetch(url);
    } catch {
      throw new Error(`${url} could not be downloaded: the network failed. Check the connection and try again`);
    }
    if (!response.ok) {
      throw new Error(
        `${url} could not be downloaded: the server answered ${response.status}. Reload the page and try again`,
      );
    }
    return response;
  };
  /** The response's bytes, counted as they arrive. */
  const counted = (response: Response): Response => {
    if (!response.body) return response;
    const meter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        count(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(meter), { headers: response.headers });
  };
  const text = async (url: string) => counted(await open(url)).text();
  const blob = async (url: string) => counted(await open(url)).blob();
  // Not through `counted`: browsers keep compiled code only for a response that comes straight from fetch.
  const compile = async (url: string) => {
    const module = await WebAssembly.compileStreaming(open(url));
    count(urls.sizes['pyodide.asm.wasm'] ?? 0);
    return module;
  };

  const python = async (): Promise<PythonFiles> => {
    const [loader, runtime, stdlib, torch, module] = await Promise.all([
      text(`${urls.pyodide}pyodide.mjs`),
      text(`${urls.pyodide}pyodide.asm.mjs`),
      blob(`${urls.pyodide}python_stdlib.zip`),
      blob(urls.torch),
      compile(`${urls.pyodide}pyodide.asm.wasm`),
    ]);
    return { loader, runtime, lock: urls.lock, stdlib, torch, module };
  };
  const files = { worker: text(urls.sessionWorker), python: python() };
  // Whoever awaits them sees the failure; until somebody does, it isn't an unhandled one.
  files.worker.catch(() => undefined);
  files.python.catch(() => undefined);
  return files;
}
