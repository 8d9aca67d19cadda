import { JoinColumn } from 'typeorm';

/** A foreign key to a row of the same workspace, by its id or another property; it cannot reference another workspace. */
export function JoinInWorkspace(column: string, constraint: string, referenced = 'id'): PropertyDecorator {
  return JoinColumn([
    { name: 'workspace_id', referencedColumnName: 'workspaceId', foreignKeyConstraintName: constraint },
    { name: column, referencedColumnName: referenced, foreignKeyConstraintName: constraint },
  ]);
}
