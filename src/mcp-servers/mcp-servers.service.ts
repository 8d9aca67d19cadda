import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, FindsInPath, type PathLookup } from '../access/index.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { findHeaderProblem } from '../platform/outbound/headers.js';
import { OutboundClient } from '../platform/outbound/outbound.client.js';
import { readJson } from '../platform/read-json.js';
import { secretEnd } from '../platform/secrets/secret-end.js';
import { Secrets } from '../platform/secrets/secrets.js';
import { McpFailure } from './mcp-failure.js';
import { McpServer, type McpSecrets, type McpTransport, type SecretEnds } from './mcp-server.entity.js';
import { McpServerErrors } from './mcp-servers.errors.js';
import type { McpTarget } from './mcp-session.js';

/** Headers that the protocol sets itself. */
const PROTOCOL_HEADERS = ['accept', 'content-type', 'last-event-id', 'mcp-protocol-version', 'mcp-session-id'];

const MOST = 100;

export interface NewMcpServer {
  name: string;
  url: string;
  transport: McpTransport;
  token: string | null;
  headers: Record<string, string>;
}

/** Changes to a server. Missing keys and headers stay unchanged; null removes a header. */
export interface McpServerChanges {
  name?: string;
  url?: string;
  transport?: McpTransport;
  token?: string | null;
  headers?: Record<string, string | null> | null;
}

@FindsInPath({ name: 'mcp_server_id', ids: { mcp_server_id: 'integer' } })
export class McpServersService implements PathLookup<{ mcp_server_id: number }> {
  constructor(
    private readonly db: DataSource,
    private readonly outbound: OutboundClient,
    private readonly secrets: Secrets,
  ) {}

  /** Newest first. */
  list({ workspaceId }: Caller): Promise<McpServer[]> {
    return this.db.manager.find(McpServer, { where: { workspaceId }, order: { id: 'DESC' } });
  }

  get(caller: Caller, id: number): Promise<McpServer> {
    return getServer(this.db.manager, caller, id);
  }

  findInPath(caller: Caller, { mcp_server_id: id }: { mcp_server_id: number }): Promise<McpServer> {
    return this.get(caller, id);
  }

  create(caller: Caller, { token, headers, ...values }: NewMcpServer): Promise<McpServer> {
    this.checkUrl(values.url);
    checkHeaders(headers, token);
    const { workspaceId, keyId: createdBy } = caller;
    return this.db.transaction(async (tx) => {
      await refuseTooMany(tx, workspaceId);
      const { identifiers } = await tx.insert(McpServer, { ...values, workspaceId, createdBy });
      const id = identifiers[0]!.id as number;
      // The secrets are bound to the id, so they need a second statement.
      await tx.update(McpServer, { workspaceId, id }, this.sealed({ workspaceId, id }, { token, headers }));
      await audit(tx, caller, { action: 'mcp_server.create', entityId: id, details: { name: values.name } });
      return getServer(tx, caller, id);
    });
  }

  update(caller: Caller, id: number, changes: McpServerChanges): Promise<McpServer> {
    const { token, headers, ...values } = changes;
    if (values.url !== undefined) this.checkUrl(values.url);
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      await lockServer(tx, workspaceId, id);
      const server = await getServer(tx, caller, id);
      requireOwnSecrets(server, changes);
      const given = Object.entries(values).filter(([, value]) => value !== undefined);
      const secrets = token === undefined && headers === undefined ? {} : this.resealed(server, { token, headers });
      const written = { ...Object.fromEntries(given), ...secrets, updatedAt: new Date() };
      await tx.update(McpServer, { workspaceId, id }, written);
      await audit(tx, caller, { action: 'mcp_server.update', entityId: id, details: { changed: namesIn(changes) } });
      return getServer(tx, caller, id);
    });
  }

  delete(caller: Caller, id: number): Promise<McpServer> {
    return this.db.transaction(async (tx) => {
      const server = await getServer(tx, caller, id);
      await tx.delete(McpServer, { workspaceId: caller.workspaceId, id });
      await audit(tx, caller, { action: 'mcp_server.delete', entityId: id, details: { name: server.name } });
      return server;
    });
  }

  exists(tx: EntityManager, workspaceId: number, id: number): Promise<boolean> {
    return tx.existsBy(McpServer, { workspaceId, id });
  }

  /** Returns the present address and headers of the server. Throws McpFailure when it was deleted. */
  async target(workspaceId: number, id: number): Promise<McpTarget> {
    const server = await this.db.manager.findOneBy(McpServer, { workspaceId, id });
    if (!server)
      throw new McpFailure(`MCP server ${id} does not exist any more. Choose another one.`, { isAnswer: true });
    const { token, headers } = this.openForCall(server);
    const { url, transport } = server;
    const all: Record<string, string> = { ...headers };
    if (token !== undefined) all.authorization = `Bearer ${token}`;
    return { workspaceId, url, transport, headers: all };
  }

  private checkUrl(url: string): void {
    const problem = this.outbound.findProblem(url);
    if (problem) throw McpServerErrors.mcp_server_url_refused(problem);
  }

  private resealed(server: McpServer, { token, headers }: Pick<McpServerChanges, 'token' | 'headers'>) {
    // Replacing all secrets does not read the old ones, which may be unreadable.
    const old = token === undefined || headers !== null ? this.open(server) : {};
    const merged = headers === undefined ? (old.headers ?? {}) : mergedHeaders(old.headers ?? {}, headers);
    const kept = token === undefined ? (old.token ?? null) : token;
    checkHeaders(merged, kept);
    return this.sealed(server, { token: kept, headers: merged });
  }

  private sealed(
    place: Pick<McpServer, 'workspaceId' | 'id'>,
    { token, headers }: Pick<NewMcpServer, 'token' | 'headers'>,
  ): { secrets: Buffer | null; secretEnds: SecretEnds } {
    const names = Object.keys(headers);
    if (token === null && names.length === 0) return { secrets: null, secretEnds: {} };
    const secrets: McpSecrets = { ...(token !== null && { token }), headers };
    const secretEnds = {
      ...(token !== null && { token: secretEnd(token) }),
      headers: Object.fromEntries(names.map((name) => [name, secretEnd(headers[name]!)])),
    };
    return { secrets: this.secrets.encrypt(JSON.stringify(secrets), placeOf(place)), secretEnds };
  }

  /** Throws mcp_server_secrets_unreadable. */
  private open(server: McpServer): McpSecrets {
    if (!server.secrets) return {};
    try {
      return readJson(this.secrets.decrypt(server.secrets, placeOf(server))) as McpSecrets;
    } catch {
      throw McpServerErrors.mcp_server_secrets_unreadable(server.id);
    }
  }

  private openForCall(server: McpServer): McpSecrets {
    try {
      return this.open(server);
    } catch (error) {
      throw new McpFailure((error as Error).message, { isAnswer: true });
    }
  }
}

async function getServer(tx: EntityManager, { workspaceId }: Caller, id: number): Promise<McpServer> {
  const server = await tx.findOneBy(McpServer, { workspaceId, id });
  if (!server) throw McpServerErrors.mcp_server_not_found(id);
  return server;
}

/** Serializes changes, because new secrets are merged into the stored ones. */
function lockServer(tx: EntityManager, workspaceId: number, id: number): Promise<void> {
  return lockUntilCommit(tx, 'mcp_server', workspaceId, id);
}

async function refuseTooMany(tx: EntityManager, workspaceId: number): Promise<void> {
  await lockUntilCommit(tx, 'mcp_servers', workspaceId);
  if ((await tx.countBy(McpServer, { workspaceId })) >= MOST) throw McpServerErrors.mcp_server_too_many(MOST);
}

function checkHeaders(headers: Record<string, string>, token: string | null): void {
  const reserved = token === null ? PROTOCOL_HEADERS : [...PROTOCOL_HEADERS, 'authorization'];
  const problem = findHeaderProblem(headers, reserved);
  if (problem) throw McpServerErrors.mcp_server_headers_refused(problem);
}

/**
 * Keeps users from reading secrets by sending them to a server of their own: a new origin needs new secrets. Throws
 * mcp_server_secrets_needed.
 */
function requireOwnSecrets({ url: old, secretEnds }: McpServer, { url, token, headers }: McpServerChanges): void {
  if (url === undefined || new URL(url).origin === new URL(old).origin) return;
  const given = headers === null ? null : new Set(Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
  const keepsToken = secretEnds.token !== undefined && token === undefined;
  const kept = Object.keys(secretEnds.headers ?? {}).filter((name) => given && !given.has(name.toLowerCase()));
  if (keepsToken || kept.length > 0) throw McpServerErrors.mcp_server_secrets_needed();
}

/** Merges headers. Names that differ only in letter case are the same. */
function mergedHeaders(
  old: Record<string, string>,
  changes: Record<string, string | null> | null,
): Record<string, string> {
  if (changes === null) return {};
  const changed = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const kept = Object.entries(old).filter(([name]) => !changed.has(name.toLowerCase()));
  const given = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries([...kept, ...given]);
}

/** Names for the audit trail, never values. */
function namesIn(changes: McpServerChanges): string[] {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return given.map(([name]) => (name === 'token' ? 'auth' : name));
}

export function placeOf({ workspaceId, id }: Pick<McpServer, 'workspaceId' | 'id'>): string {
  return `MCP server ${id} of workspace ${workspaceId}`;
}
