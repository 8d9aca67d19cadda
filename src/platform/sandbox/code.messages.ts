/** Makes code the body of a function, which is called with the data of a row and whose output is kept. */
export interface FunctionForm {
  /** An identifier in the language of the code. */
  name: string;
  /** Environment variables that the code sees. */
  env: Record<string, string>;
}

/** Code over rows, in the form that a process receives. */
export interface CodeCall {
  code: string;
  /** JSON of the data of each row. */
  rows: string[];
  /** Absent for code that computes a cell. */
  form?: FunctionForm;
}
