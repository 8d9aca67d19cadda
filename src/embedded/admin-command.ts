import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DataSource } from 'typeorm';
import {
  ApiKey,
  AuditEntry,
  BUILT_IN_ROLES,
  type Caller,
  CustomRole,
  INSTALLATION,
  operatorIn,
  User,
  Workspace,
  WorkspacesService,
} from '../access/index.js';
import { ApiKeysService } from '../administration/index.js';
import type { ModelCredentialsService } from '../llm/index.js';
import type { SecretsKeys } from '../platform/secrets/secrets.js';
import { LaunchError } from './launch-error.js';
import { assertMigrated } from './migrated.js';
import { COMMAND_LINE } from './record-command.js';
import { keysIn } from './secrets-key.js';
import { loadState } from './state.js';

const USAGE = `Usage: npm run admin -- COMMAND

  workspaces list
  workspaces create NAME
  workspaces rename ID NAME
  workspaces export ID --to FILE
  workspaces restore --from FILE [--dry-run] [--new-ids] [--send-deliveries] [--without-keys]
  keys list WORKSPACE
  keys create WORKSPACE [--name NAME] [--role ROLE[,ROLE]...]
  keys rename WORKSPACE KEY NAME
  keys revoke WORKSPACE KEY
  users sign-in-link EMAIL
  credentials list WORKSPACE
  credentials add WORKSPACE PROVIDER NAME [--base-url URL] [--option NAME=VALUE]...
  credentials delete WORKSPACE CREDENTIAL
  verify-audit [WORKSPACE | installation] [--head ENTRY:HASH]
  erase WORKSPACE --user ID | --session ID | --metadata KEY=VALUE [--dry-run]
  backup FOLDER
  restore FOLDER
  verify FOLDER
  rotate-secrets
  accept-secrets-key

The roles are ${BUILT_IN_ROLES.map(({ name }) => name).join(', ')}, and those that the workspace defines. The secret of a credential is read from standard input.
An export has everything in a workspace as of one moment. It is restored under its ids, into an installation of the same version where no
workspace has its id: --new-ids gives keys, roles and rules new ids if those of other workspaces have theirs, --send-deliveries sends
webhook deliveries that were pending, and --without-keys restores without a lost SECRETS_KEY.
A sign-in link is for an administrator who cannot sign in, for example while the identity provider does not answer: it works once, for
15 minutes.

It works on the database of DATABASE_URL, or on the embedded one while the product runs. The last five start the embedded one where
it does not run. A backup is made while the server runs, and restored into an empty database. rotate-secrets re-encrypts all secrets
with SECRETS_KEY, while SECRETS_KEY_PREVIOUS has the key of before. accept-secrets-key makes SECRETS_KEY the one of the installation,
when that of before is lost: secrets that it cannot read have to be entered again.`;

interface Options {
  name?: string;
  role?: string;
  'base-url'?: string;
  option?: string[];
  user?: string;
  session?: string;
  metadata?: string;
  'dry-run'?: boolean;
  head?: string;
  to?: string;
  from?: string;
  'new-ids'?: boolean;
  'send-deliveries'?: boolean;
  'without-keys'?: boolean;
}

type Command = (services: Services, args: string[], options: Options) => Promise<void>;

interface Services {
  say(line: string): void;
  readSecret(): Promise<string>;
  workspaces: WorkspacesService;
  keys: ApiKeysService;
  signInLink(email: string): Promise<string>;
  credentials(): Promise<ModelCredentialsService>;
  erase(caller: Caller, options: Options): Promise<void>;
  verifyAudit(workspaceIds: number[], head: string | undefined): Promise<void>;
  exportTo(workspace: Workspace, file: string): Promise<void>;
  restoreFrom(file: string, options: Options): Promise<void>;
}

const COMMANDS: Record<string, Command> = {
  erase: async ({ erase, workspaces }, [workspace], options) => {
    await erase(await operatorOf(workspaces, workspace), options);
  },
  'verify-audit': async ({ verifyAudit, workspaces }, [workspace], { head }) => {
    await verifyAudit(await chainsOf(workspaces, workspace), head);
  },
  'workspaces list': async ({ say, workspaces }) => {
    for (const { id, name } of await workspaces.list()) say(`${id}\t${name}`);
  },
  'workspaces create': async ({ say, workspaces }, [name]) => {
    const workspace = await workspaces.create(COMMAND_LINE, required(name));
    say(`Created workspace ${workspace.id}.`);
  },
  'workspaces rename': async ({ say, workspaces }, [id, name]) => {
    const workspace = await workspaces.update(COMMAND_LINE, toId(id), { name: required(name) });
    say(`Workspace ${workspace.id} is now called ${workspace.name}.`);
  },
  'workspaces export': async ({ workspaces, exportTo }, [id], { to }) => {
    await exportTo(await workspaces.get(toId(id)), required(to));
  },
  'workspaces restore': async ({ restoreFrom }, _, options) => {
    await restoreFrom(required(options.from), options);
  },
  'keys list': async ({ say, workspaces, keys }, [workspace]) => {
    for (const key of await keys.list(await operatorOf(workspaces, workspace))) say(describeKey(key));
  },
  'keys create': async ({ say, workspaces, keys }, [workspace], { name = null, role = 'member' }) => {
    const caller = await operatorOf(workspaces, workspace);
    const { key, secret } = await keys.create(caller, { name, roles: [...new Set(role.split(','))] });
    say(`Created key ${key.id}. It is shown only this once:\n${secret}`);
  },
  'keys rename': async ({ say, workspaces, keys }, [workspace, id, name]) => {
    say(describeKey(await keys.update(await operatorOf(workspaces, workspace), toId(id), { name: required(name) })));
  },
  'keys revoke': async ({ say, workspaces, keys }, [workspace, id]) => {
    say(describeKey(await keys.revoke(await operatorOf(workspaces, workspace), toId(id))));
  },
  'users sign-in-link': async ({ say, signInLink }, [email]) => {
    const path = await signInLink(required(email));
    say(`Open this path below the address of the server. It works once, for 15 minutes:\n${path}`);
  },
  'credentials list': async ({ say, workspaces, credentials }, [workspace]) => {
    const service = await credentials();
    const caller = await operatorOf(workspaces, workspace);
    const { describeCredential } = await import('./admin-credentials.js');
    for (const credential of await service.list(caller)) say(describeCredential(credential));
  },
  'credentials add': async ({ say, readSecret, workspaces, credentials }, [workspace, provider, name], options) => {
    const service = await credentials();
    const caller = await operatorOf(workspaces, workspace);
    const input = { provider: required(provider), name: required(name), baseUrl: options['base-url'] };
    const { toOptions } = await import('./admin-credentials.js');
    const secret = await readSecret();
    const added = await service.create(caller, { ...input, secret, options: toOptions(options.option ?? []) });
    say(`Added credential ${added.id}.`);
  },
  'credentials delete': async ({ say, workspaces, credentials }, [workspace, id]) => {
    const service = await credentials();
    await service.delete(await operatorOf(workspaces, workspace), toId(id));
    say(`Deleted credential ${toId(id)}.`);
  },
};

/** The environment of a command. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
  readSecret(): Promise<string>;
}

/** @throws LaunchError, or an error of the API, with a sentence for the user of the command */
export async function runAdminCommand(args: string[], { env, say, readSecret }: Surroundings): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help) return say(USAGE);
  const [first, folder] = positionals;
  if (first === 'backup' || first === 'restore' || first === 'verify') {
    const { runBackupCommand } = await import('./backup-commands.js');
    return runBackupCommand(first, required(folder), { env, say });
  }
  if (first === 'accept-secrets-key') {
    return (await import('./secrets-commands.js')).acceptKey({ env, say });
  }
  if (first === 'rotate-secrets') {
    return (await import('./secrets-commands.js')).rotateKey({ env, say });
  }
  const words = first && Object.hasOwn(COMMANDS, first) ? 1 : 2;
  const command = COMMANDS[positionals.slice(0, words).join(' ')];
  if (!command) throw new LaunchError(unknownCommand(positionals));
  const entities = [Workspace, ApiKey, CustomRole, User, AuditEntry, ...(await entitiesOf(positionals[0]!))];
  const db = new DataSource({ type: 'postgres', url: databaseUrl(env), entities });
  await db.initialize();
  try {
    await assertMigrated(databaseUrl(env), env);
    const toInstallation = () => ({
      db,
      databaseUrl: databaseUrl(env),
      keys: keysIn(env),
      folder: env.INIT_CWD || '.',
      requestId: COMMAND_LINE.id,
      say,
    });
    const services = {
      say,
      readSecret,
      workspaces: new WorkspacesService(db),
      keys: new ApiKeysService(db),
      signInLink: async (email: string) =>
        (await import('./sign-in-link.js')).createSignInLink(db, COMMAND_LINE.id, email),
      credentials: async () => (await import('./admin-credentials.js')).credentialsService(db, await rightKeys(env)),
      erase: async (caller: Caller, options: Options) =>
        (await import('./erase-command.js')).runEraseCommand(db, caller, options, {
          say,
          keys: await rightKeys(env),
        }),
      verifyAudit: async (ids: number[], head: string | undefined) =>
        (await import('./verify-audit-command.js')).verifyAudit(db.manager, ids, head, say),
      exportTo: async (workspace: Workspace, file: string) =>
        (await import('./workspace-archive-commands.js')).exportToFile(toInstallation(), workspace, file),
      restoreFrom: async (file: string, options: Options) =>
        (await import('./workspace-archive-commands.js')).restoreFromFile(toInstallation(), file, toFlags(options)),
    };
    await command(services, positionals.slice(words), values);
  } finally {
    await db.destroy();
  }
}

function parse(args: string[]) {
  const options = {
    name: { type: 'string' },
    role: { type: 'string' },
    'base-url': { type: 'string' },
    option: { type: 'string', multiple: true },
    user: { type: 'string' },
    session: { type: 'string' },
    metadata: { type: 'string' },
    'dry-run': { type: 'boolean' },
    head: { type: 'string' },
    to: { type: 'string' },
    from: { type: 'string' },
    'new-ids': { type: 'boolean' },
    'send-deliveries': { type: 'boolean' },
    'without-keys': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new LaunchError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

const toFlags = (options: Options) => ({
  dryRun: options['dry-run'] ?? false,
  newIds: options['new-ids'] ?? false,
  sendsDeliveries: options['send-deliveries'] ?? false,
  withoutKeys: options['without-keys'] ?? false,
});

/** Loads entities on demand: they take a second, and few commands need them. */
async function entitiesOf(noun: string): Promise<Function[]> {
  if (noun === 'users') return [(await import('../administration/index.js')).UserLink];
  if (noun === 'erase') return [(await import('../erasure/index.js')).Erasure];
  return noun === 'credentials' ? [(await import('../llm/index.js')).ModelCredential] : [];
}

function databaseUrl(env: NodeJS.ProcessEnv): string {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  const folder = path.resolve(env.DATA_DIR || '.data');
  if (!existsSync(path.join(folder, 'state.json'))) {
    throw new LaunchError(
      `There is no installation in ${folder}. Start the product once (npm start), or set DATABASE_URL.`,
    );
  }
  const { postgresPassword, postgresPort } = loadState(folder);
  return `postgres://tracesheet:${postgresPassword}@127.0.0.1:${postgresPort}/tracesheet`;
}

/** Checks that the keys are those of the installation: its processes could not decrypt values of another key. */
async function rightKeys(env: NodeJS.ProcessEnv): Promise<SecretsKeys> {
  const keys = keysIn(env);
  const { assertSecretsKey } = await import('../platform/secrets/secrets-check.js');
  await assertSecretsKey(databaseUrl(env), keys);
  return keys;
}

/** The chain of a workspace or of the installation; all of them without a name. */
async function chainsOf(workspaces: WorkspacesService, name: string | undefined): Promise<number[]> {
  if (name === 'installation') return [INSTALLATION];
  if (name !== undefined) return [(await workspaces.get(toId(name))).id];
  return [...(await workspaces.list()).map(({ id }) => id), INSTALLATION];
}

/** The operator, acting in a workspace that exists. */
async function operatorOf(workspaces: WorkspacesService, id: string | undefined): Promise<Caller> {
  const { id: workspaceId } = await workspaces.get(toId(id));
  return operatorIn(workspaceId, COMMAND_LINE.id);
}

function describeKey({ id, name, lastFour, roles, revokedAt, expiresAt }: ApiKey): string {
  const hasExpired = expiresAt !== null && expiresAt.getTime() <= Date.now();
  const state = revokedAt ? 'revoked' : hasExpired ? 'expired' : 'active';
  return [id, `…${lastFour}`, roles.join(','), state, name ?? ''].join('\t');
}

function unknownCommand(words: string[]): string {
  return words.length > 0 ? `There is no command "${words.slice(0, 2).join(' ')}".\n\n${USAGE}` : USAGE;
}

function required(text: string | undefined): string {
  if (!text) throw new LaunchError(USAGE);
  return text;
}

function toId(text: string | undefined): number {
  const id = Number(text);
  if (!Number.isInteger(id) || id < 1 || id > 2_147_483_647) throw new LaunchError(USAGE);
  return id;
}

/** The error as a sentence. */
export function describeFailure(error: unknown): string {
  const refused = (error as { code?: string }).code === 'ECONNREFUSED';
  return refused ? 'The database does not answer. Start the product first (npm start).' : (error as Error).message;
}
