/** How the heap of every process of the product is kept: docs/decisions/007-runtime-settings.md says why. */
const HEAP = ['--heap-growing-percent=50', '--no-allocation-site-pretenuring', '--expose-gc'];

/** What the processes of the product are started with; the scripts in `package.json` say the same. */
export const APP_ENTRIES = {
  api: { file: 'main.js', nodeOptions: HEAP, debugPort: 9229 },
  worker: {
    file: 'worker.js',
    // A worker has the messages of hundreds of logs at once, each for some milliseconds. In the 16 MB that young objects
    // have by themselves they grow old, and old ones are collected with the whole heap.
    nodeOptions: [...HEAP, '--max-semi-space-size=64'],
    debugPort: 9230,
  },
} as const satisfies Record<string, { file: string; nodeOptions: readonly string[]; debugPort: number }>;

export type AppName = keyof typeof APP_ENTRIES;

/** The options among these that a process was not started with, whatever their values. */
export function missingOptions(name: AppName, given: readonly string[]): string[] {
  const known = new Set(given.map(nameOf));
  return APP_ENTRIES[name].nodeOptions.filter((option) => !known.has(nameOf(option)));
}

/** Node takes underscores for hyphens. */
const nameOf = (option: string): string => option.split('=', 1)[0]!.replaceAll('_', '-');
