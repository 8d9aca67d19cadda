import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A tenant: everything a customer stores belongs to one. */
@Entity('workspaces')
export class Workspace {
  @PrimaryColumn({
    type: 'integer',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'workspaces_pkey',
  })
  id: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
