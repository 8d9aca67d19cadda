import { Column, Entity } from 'typeorm';
import { DeletedAtColumn, IdentityColumn } from '../platform/database/common-columns.js';

/** Plans of workspaces; every domain defines their limits. */
export const PLANS = ['free', 'pro', 'team'] as const;
export type Plan = (typeof PLANS)[number];

/** A tenant: everything a customer stores belongs to one. */
@Entity('workspaces')
export class Workspace {
  @IdentityColumn('integer')
  id: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', default: 'team' })
  plan: Plan;

  /** Protected labels: only some roles may create, move or delete them. */
  @Column({ name: 'protected_labels', type: 'text', array: true, default: () => "'{}'" })
  protectedLabels: string[];

  /** Protected labels whose changes a second person approves. */
  @Column({ name: 'approval_labels', type: 'text', array: true, default: () => "'{}'" })
  approvalLabels: string[];

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  /** When its deletion began. No route finds it from then on. */
  @DeletedAtColumn()
  deletedAt: Date | null;
}
