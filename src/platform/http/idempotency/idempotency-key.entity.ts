import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../database/common-columns.js';

/** The answer to a POST with an Idempotency-Key, stored for a day so that a retry gets the same one. */
@Entity('idempotency_keys')
@Index('idempotency_keys_created_at_idx', ['createdAt'])
export class IdempotencyKey {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'text' })
  key: string;

  /** SHA-256 of method, path and body. */
  @Column({ name: 'request_hash', type: 'bytea' })
  requestHash: Buffer;

  /** null while the first request is running. */
  @Column({ type: 'smallint', nullable: true })
  status: number | null;

  /** The owner of the key while its request is running, see `IdempotencyInterceptor`. */
  @Column({ type: 'text', nullable: true })
  response: string | null;

  /** The lease of a running request begins here. Renewals move it. */
  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
