import { Column, PrimaryColumn } from 'typeorm';

/** Columns that many tables have, declared once. This is the first one of most primary keys. */
export const WorkspaceColumn = (): PropertyDecorator => PrimaryColumn({ name: 'workspace_id', type: 'integer' });

/** A key that the database counts up. */
export const IdentityColumn = (type: 'integer' | 'bigint'): PropertyDecorator =>
  PrimaryColumn({ type, generated: 'identity', generatedIdentity: 'ALWAYS' });

/** The API key that created the row. */
export const CreatedByColumn = (): PropertyDecorator => Column({ name: 'created_by', type: 'integer', nullable: true });

/** Clients see times in milliseconds, so no more is stored. */
const MILLISECONDS = { type: 'timestamptz', precision: 3 } as const;

export const CreatedAtColumn = (): PropertyDecorator =>
  Column({ name: 'created_at', ...MILLISECONDS, default: () => 'now()' });

export const UpdatedAtColumn = (): PropertyDecorator =>
  Column({ name: 'updated_at', ...MILLISECONDS, default: () => 'now()' });

export const DeletedAtColumn = (): PropertyDecorator => Column({ name: 'deleted_at', ...MILLISECONDS, nullable: true });

export const FinishedAtColumn = (): PropertyDecorator =>
  Column({ name: 'finished_at', ...MILLISECONDS, nullable: true });
