/** Heap options of every process of the product. docs/decisions/007-runtime-settings.md has the reasons. */
const HEAP = ['--heap-growing-percent=50', '--no-allocation-site-pretenuring', '--expose-gc'];

/** Start options of the processes of the product. The scripts in `package.json` must have the same. */
export const APP_ENTRIES = {
  api: { file: 'main.js', nodeOptions: HEAP, debugPort: 9229 },
  worker: {
    file: 'worker.js',
    // A worker holds the messages of hundreds of logs, each for some milliseconds. The default 16 MB for young objects would
    // promote them to old ones, which are only collected with the whole heap.
    nodeOptions: [...HEAP, '--max-semi-space-size=64'],
    debugPort: 9230,
  },
} as const satisfies Record<string, { file: string; nodeOptions: readonly string[]; debugPort: number }>;

export type AppName = keyof typeof APP_ENTRIES;

/** Required options that a process was started without. Values are not compared. */
export function missingOptions(name: AppName, given: readonly string[]): string[] {
  const known = new Set(given.map(nameOf));
  return APP_ENTRIES[name].nodeOptions.filter((option) => !known.has(nameOf(option)));
}

/** Node accepts underscores for hyphens. */
const nameOf = (option: string): string => option.split('=', 1)[0]!.replaceAll('_', '-');
