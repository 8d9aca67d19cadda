/** A kind of entity that can have external ids. */
export interface ExternalIdHolder {
  /** Stored with every mapping; error messages use it as well. */
  type: string;
  /** Its table, which has `workspace_id` and `id`. */
  table: string;
  /** True when deleted entities keep their row, with `deleted_at`. */
  softDeleted: boolean;
  /** The path of one entity with one parameter, such as `tools/:tool_id`. */
  path: string;
  idType: 'integer' | 'uuid';
  /** Permissions of which one is needed to attach and detach, such as /^PROMPT_EDIT$/. */
  editedWith: RegExp;
  /** The part of the API it is documented under. */
  tag: string;
}
