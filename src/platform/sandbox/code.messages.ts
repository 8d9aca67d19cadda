/** Makes code the body of a function, which is called with the data of a row and keeps what it prints. */
export interface FunctionForm {
  /** An identifier in the language of the code. */
  name: string;
  /** What the code finds as its environment variables. */
  env: Record<string, string>;
}

/** Code over rows, as it goes to a process. */
export interface CodeCall {
  code: string;
  /** JSON of the data of each row. */
  rows: string[];
  /** Absent for code that computes a cell. */
  form?: FunctionForm;
}
