/** One call of the sandbox as it goes to a thread. */
export interface ThreadCall {
  work: 'render' | 'variables';
  templates: string[];
  /** JSON of an object. */
  variables: string;
  deadlineMs: number;
}

/** What became of one template. */
export interface ThreadResult {
  /** The rendered text; null when only names were asked for or there is an error. */
  text: string | null;
  /** Missing names of a rendering, or the variables of the template. */
  names: string[];
  error: string | null;
}

/** What a thread is started with. */
export interface ThreadData {
  /** Modules of the template engine by file name, as JavaScript. */
  modules: Record<string, string>;
  /** URL of the package that holds the interpreter. */
  quickjsUrl: string;
  memoryBytes: number;
  /** Bytes of interpreter stack. Anything but 128 KB can break the interpreter instead of ending the template. */
  stackBytes: number;
  /** Characters of all results of a call together. */
  outputLimit: number;
}
