import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The servers of tools (MCP) that workspaces have registered. */
export class McpServers1780000000010 implements MigrationInterface {
  name = 'McpServers1780000000010';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE mcp_servers (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        name text NOT NULL,
        url text NOT NULL,
        transport text NOT NULL,
        secrets bytea,
        secret_ends jsonb NOT NULL DEFAULT '{}',
        created_by integer,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT mcp_servers_pkey PRIMARY KEY (workspace_id, id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE mcp_servers`);
  }
}
