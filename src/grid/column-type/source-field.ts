/** A config field that refers to columns: one, a list, or a map from variables to columns. */
export interface SourceField {
  key: string;
  shape: 'one' | 'list' | 'map';
  /** Values of a map with a meaning other than a column: they stay in the config unchanged. */
  specialNames?: readonly string[];
}
