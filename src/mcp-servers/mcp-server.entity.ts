import { Column, Entity, PrimaryColumn } from 'typeorm';

export const MCP_TRANSPORTS = ['streamable_http', 'sse'] as const;
export type McpTransport = (typeof MCP_TRANSPORTS)[number];

/** A server of tools that a workspace has registered. */
@Entity('mcp_servers')
export class McpServer {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'mcp_servers_pkey' })
  workspaceId: number;

  @PrimaryColumn({
    type: 'integer',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'mcp_servers_pkey',
  })
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

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
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
