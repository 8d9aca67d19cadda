import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadPyodide } from 'pyodide';
import { MemoryImage } from '../memory-image.js';
import { type FileSystem, SealedFiles } from './sealed-files.js';
import type { CodeCall } from '../code.messages.js';
import { MAX_CODE_RESULT, MAX_PRINTED, TURN_MS } from '../limits.js';

/** What the package does not say about itself. */
interface Internals {
  HEAPU8: Uint8Array;
  FS: FileSystem;
}

/** The outcomes of the first rows as a list of JSON, after a character that tells whether the memory must be restored. */
type Run = (code: string, rows: string, isRestored: boolean, form: string) => string;

const MODULES = ['harmless', 'runner', 'seal'];
const PACKAGES = '/lib/python3.14/site-packages';
/** With compiled code in it, which the library of the package has not: compiling takes two thirds of a start. */
const LIBRARY = fileURLToPath(new URL('../../../../python/stdlib.zip', import.meta.url));

/** A process that is busy does not notice that its parent is gone. This one looks when the interpreter asks for signals. */
class ParentWatch {
  private readonly parent = process.ppid;
  private readonly kill = process.kill.bind(process);
  private next = 0;

  get 0(): number {
    const now = Date.now();
    if (now > this.next) {
      this.next = now + 1_000;
      if (process.ppid !== this.parent) this.kill(process.pid, 'SIGKILL');
    }
    return 0;
  }

  set 0(_: number) {
    // The interpreter takes signals back.
  }
}

/**
 * A Python interpreter. After code that may have changed what later calls see, its memory is put back to what it was after
 * loading: modules, builtins, random numbers, everything is in it.
 */
export class PythonInterpreter {
  private readonly pristine: MemoryImage;
  private readonly files: SealedFiles;
  private mustRestore = false;
  private owner: number | null = null;

  private constructor(
    private readonly internals: Internals,
    private readonly runner: Run,
  ) {
    // What is made when it is first used must be part of the picture.
    this.runner('return data["a"]', '[{"a": 1}]', true, '');
    this.files = new SealedFiles(internals.FS);
    this.pristine = new MemoryImage(internals.HEAPU8);
  }

  static async load(): Promise<PythonInterpreter> {
    const silent = () => undefined;
    const python = await loadPyodide({
      stdLibURL: LIBRARY,
      jsglobals: {},
      stdout: silent,
      stderr: silent,
      stdin: () => null,
    });
    const files = MODULES.map(
      (name) => [`${PACKAGES}/${name}.py`, readFileSync(new URL(`${name}.py`, import.meta.url))] as const,
    );
    for (const [file, source] of files) python.FS.writeFile(file, source);
    const runner = python.runPython(
      `import seal; seal.seal(${TURN_MS / 1000}, ${MAX_CODE_RESULT}, ${MAX_PRINTED})`,
    ) as Run;
    // The interpreter asks now and then whether there is a signal for it.
    python.setInterruptBuffer(new ParentWatch() as unknown as Uint8Array);
    for (const [file] of files) python.FS.unlink(file);
    const { _module } = python as unknown as { _module: Internals };
    return new PythonInterpreter(_module, runner);
  }

  /** The outcomes of as many rows as fit into a turn, each as JSON, in one list. */
  run({ code, rows, workspaceId, form }: CodeCall): string {
    const end = Date.now() + TURN_MS;
    const isNewOwner = this.owner !== null && workspaceId !== this.owner;
    this.mustRestore ||= isNewOwner;
    this.owner = workspaceId;
    const parts: string[] = [];
    // Code that leaves something behind is given one row after the other.
    for (let from = 0; from < rows.length && (from === 0 || Date.now() < end); from++) {
      const isRestored = this.mustRestore;
      if (isRestored) this.restore(isNewOwner);
      const texts = from === 0 ? rows.join(',') : rows[from]!;
      const answer = this.runner(code, `[${texts}]`, isRestored, form ? JSON.stringify(form) : '');
      this.mustRestore = answer.startsWith('!');
      parts.push(answer.slice(2, -1));
      if (!this.mustRestore) break;
    }
    return `[${parts.join(',')}]`;
  }

  private restore(isThorough: boolean): void {
    this.pristine.restore(this.internals.HEAPU8, isThorough);
    this.files.restore();
  }
}
