/** One call of the template engine as it goes to a process. */
export interface TemplatesCall {
  work: 'render' | 'variables';
  templates: string[];
  /** JSON of an object. */
  variables: string;
  timeMs: number;
}

/** What became of one template. */
export interface TemplateResult {
  /** The rendered text; null when only names were asked for or there is an error. */
  text: string | null;
  /** Missing names of a rendering, or the variables of the template. */
  names: string[];
  error: string | null;
}
