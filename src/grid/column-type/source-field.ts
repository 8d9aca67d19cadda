/** Where in a config columns are referred to: one, a list of them, or a map from variables to columns. */
export interface SourceField {
  key: string;
  shape: 'one' | 'list' | 'map';
  /** Values of a map that mean something other than a column: they stay in the config as they are. */
  specialNames?: readonly string[];
}
