import { Column, Entity } from 'typeorm';
import {
  CreatedByColumn,
  IdentityColumn,
  UpdatedAtColumn,
  WorkspaceColumn,
} from '../platform/database/common-columns.js';

export const MCP_TRANSPORTS = ['streamable_http', 'sse'] as const;
export type McpTransport = (typeof MCP_TRANSPORTS)[number];

/** A server of tools that a workspace has registered. */
@Entity('mcp_servers')
export class McpServer {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  url: string;

  @Column({ type: 'text' })
  transport: McpTransport;

  /** `McpSecrets` as JSON, encrypted; null when there are none. */
  @Column({ type: 'bytea', nullable: true })
  secrets: Buffer | null;

  /** Visible parts of the secrets: the ends of the token and of each header's value. */
  @Column({ name: 'secret_ends', type: 'jsonb', default: {} })
  secretEnds: SecretEnds;

  @CreatedByColumn()
  createdBy: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @UpdatedAtColumn()
  updatedAt: Date;
}

/** Credentials that are sent to a server with each call. */
export interface McpSecrets {
  token?: string;
  headers?: Record<string, string>;
}

export interface SecretEnds {
  token?: string;
  headers?: Record<string, string>;
}
