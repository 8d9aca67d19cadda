/** A reference to a prompt of the registry: by id or by name, and with or without a version or label. */
export interface PromptReference {
  /** Takes precedence over the name. */
  id: number | null;
  name: string | null;
  /** Takes precedence over the label; without both, the latest version is meant. */
  version: number | null;
  label: string | null;
}

/** A version of a prompt. */
export interface PromptVersionKey {
  promptId: number;
  versionNumber: number;
}

/** The version that a reference resolves to. */
export interface PromptLink extends PromptVersionKey {
  /** The names of the variables that it asks for, itself or through its snippets. */
  variables: string[];
}
