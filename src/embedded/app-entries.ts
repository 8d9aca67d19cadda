/** What the processes of the product are started with; the scripts in `package.json` say the same. */
export const APP_ENTRIES = {
  api: { file: 'main.js', nodeOptions: [], debugPort: 9229 },
  worker: {
    file: 'worker.js',
    // A worker has the messages of hundreds of logs at once, each for some milliseconds. In the 16 MB that young objects
    // have by themselves they grow old, and old ones are collected with the whole heap. Can only be set at the start.
    nodeOptions: ['--max-semi-space-size=64'],
    debugPort: 9230,
  },
} as const satisfies Record<string, { file: string; nodeOptions: readonly string[]; debugPort: number }>;

export type AppName = keyof typeof APP_ENTRIES;
