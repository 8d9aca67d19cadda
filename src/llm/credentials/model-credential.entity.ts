import { Column, Entity, Unique } from 'typeorm';
import {
  CreatedByColumn,
  IdentityColumn,
  UpdatedAtColumn,
  WorkspaceColumn,
} from '../../platform/database/common-columns.js';

/** Credential of a workspace for the models of a provider. A provider may have several, by name. */
@Entity('model_credentials')
@Unique('model_credentials_name_key', ['workspaceId', 'provider', 'name'])
export class ModelCredential {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  /** Same value as in `metadata.model.provider`; lower case. */
  @Column({ type: 'text' })
  provider: string;

  @Column({ type: 'text' })
  name: string;

  /** null for the usual address of the vendor. */
  @Column({ name: 'base_url', type: 'text', nullable: true })
  baseUrl: string | null;

  /** Encrypted for its workspace; see `CredentialStore`. */
  @Column({ type: 'bytea' })
  secret: Buffer;

  /** Visible part of the secret: its end, or nothing of a short one. */
  @Column({ name: 'last_four', type: 'text' })
  lastFour: string;

  /** Further settings that the provider needs, by name. They are not secret. */
  @Column({ type: 'jsonb' })
  options: Record<string, string>;

  /** Calls at the same time, over all processes; null for any number. The same holds for the next two. */
  @Column({ name: 'max_concurrency', type: 'integer', nullable: true })
  maxConcurrency: number | null;

  @Column({ name: 'requests_per_minute', type: 'integer', nullable: true })
  requestsPerMinute: number | null;

  /** Tokens of input and output together. */
  @Column({ name: 'tokens_per_minute', type: 'integer', nullable: true })
  tokensPerMinute: number | null;

  @CreatedByColumn()
  createdBy: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @UpdatedAtColumn()
  updatedAt: Date;
}
