import { JoinColumn } from 'typeorm';

/** A foreign key to a row of the same workspace: the reference can never leave it. */
export function JoinInWorkspace(column: string, constraint: string): PropertyDecorator {
  return JoinColumn([
    { name: 'workspace_id', referencedColumnName: 'workspaceId', foreignKeyConstraintName: constraint },
    { name: column, referencedColumnName: 'id', foreignKeyConstraintName: constraint },
  ]);
}
