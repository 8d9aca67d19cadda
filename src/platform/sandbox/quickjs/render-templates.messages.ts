/** A call of the template engine in the form that a process receives. */
export interface TemplatesCall {
  work: 'render' | 'variables';
  templates: string[];
  /** JSON of an object. */
  variables: string;
  timeMs: number;
}

/** The result of one template. */
export interface TemplateResult {
  /** The rendered text; null when only names were requested, or after an error. */
  text: string | null;
  /** Missing names of a rendering, or the variables of the template. */
  names: string[];
  error: string | null;
}
