import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadPyodide } from 'pyodide';
import type { CodeCall } from '../code.messages.js';
import { MAX_CODE_RESULT, MAX_PRINTED } from '../limits.js';
import { MemoryImage } from '../memory-image.js';
import { ParentWatch } from '../parent-watch.js';
import { rowsOfTurn } from '../rows-of-turn.js';
import { type FileSystem, SealedFiles } from './sealed-files.js';

/** Parts of the interpreter that its package does not document. */
interface Internals {
  HEAPU8: Uint8Array;
  FS: FileSystem;
}

/** `run` of runner.py. */
type Run = (action: 'compile' | 'row' | 'call', ...texts: string[]) => string;
type Seal = (maxResult: number, maxPrinted: number) => Run;

/** Memory of an interpreter that has imported `runner`, `seal` and their preloaded modules. Created by the build. */
const SNAPSHOT = fileURLToPath(new URL('../../../../python/snapshot.bin', import.meta.url));

/**
 * A Python interpreter. Before every row and every call its memory is restored to the state after loading: modules,
 * builtins, caches, random numbers and everything else.
 */
class PythonInterpreter {
  private readonly pristine: MemoryImage;
  private readonly files: SealedFiles;

  private constructor(
    private readonly internals: Internals,
    private readonly runner: Run,
  ) {
    // Objects that are created at their first use must be part of the image.
    this.runner('row', this.runner('compile', 'return data["a"]').slice(1), '{"a": 1}');
    this.files = new SealedFiles(internals.FS);
    this.pristine = new MemoryImage(internals.HEAPU8);
  }

  static async load(): Promise<PythonInterpreter> {
    const silent = () => undefined;
    const python = await loadPyodide({
      _loadSnapshot: readFileSync(SNAPSHOT),
      jsglobals: {},
      stdout: silent,
      stderr: silent,
      stdin: () => null,
    });
    // Called from here and not from Python, because no frame of the package may need the objects that it removes.
    const seal = python.runPython('import seal; seal.seal') as Seal;
    const runner = seal(MAX_CODE_RESULT, MAX_PRINTED);
    // The interpreter regularly checks for a signal.
    python.setInterruptBuffer(new ParentWatch() as unknown as Uint8Array);
    return new PythonInterpreter(Reflect.get(python, '_module') as Internals, runner);
  }

  /** Outcomes of as many rows as fit into a turn, each as JSON, in one list. */
  run({ code, rows, form }: CodeCall): string {
    if (form) return `[${this.runAlone('call', code, rows[0]!, JSON.stringify(form))}]`;
    const compiled = this.runAlone('compile', code);
    if (compiled.startsWith('!')) return `[${rows.map(() => compiled.slice(1)).join(',')}]`;
    const outcomes = Array.from(rowsOfTurn(rows), (data) => this.runAlone('row', compiled.slice(1), data));
    return `[${outcomes.join(',')}]`;
  }

  private runAlone(...call: Parameters<Run>): string {
    this.pristine.restore(this.internals.HEAPU8);
    this.files.restore();
    return this.runner(...call);
  }
}

export async function loadPython(): Promise<(call: CodeCall) => string> {
  const python = await PythonInterpreter.load();
  return (call) => python.run(call);
}
