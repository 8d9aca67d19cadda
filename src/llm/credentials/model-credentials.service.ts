import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, FindsInPath, type PathLookup } from '../../access/index.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import { uniqueViolation } from '../../platform/errors/failures.js';
import { OutboundClient } from '../../platform/outbound/outbound.client.js';
import { secretEnd } from '../../platform/secrets/secret-end.js';
import { type CredentialNeeds, ModelProviders, providerKey } from '../providers/model-providers.js';
import { CredentialStore } from './credential-store.js';
import { ModelCredential } from './model-credential.entity.js';
import { ModelCredentialErrors } from './model-credentials.errors.js';

const MOST = 200;
const LONGEST_OPTION = 500;
const HOST_LABEL = /^[a-z\d-]+$/i;

export interface CredentialLimits {
  maxConcurrency?: number | null;
  requestsPerMinute?: number | null;
  tokensPerMinute?: number | null;
}

/** Fields that are left out stay unchanged. */
export interface CredentialChange extends CredentialLimits {
  name?: string;
  baseUrl?: string | null;
  secret?: string | null;
  options?: Record<string, string>;
}

export interface NewCredential extends CredentialChange {
  provider: string;
  name: string;
}

@FindsInPath({ name: 'credential_id', ids: { credential_id: 'integer' } })
export class ModelCredentialsService implements PathLookup<{ credential_id: number }> {
  constructor(
    private readonly db: DataSource,
    private readonly providers: ModelProviders,
    private readonly store: CredentialStore,
    private readonly outbound: OutboundClient,
  ) {}

  /** By provider and name. */
  list({ workspaceId }: Caller): Promise<ModelCredential[]> {
    return this.db.manager.find(ModelCredential, { where: { workspaceId }, order: { provider: 'ASC', name: 'ASC' } });
  }

  get(caller: Caller, id: number): Promise<ModelCredential> {
    return getCredential(this.db.manager, caller, id);
  }

  findInPath(caller: Caller, { credential_id: id }: { credential_id: number }): Promise<ModelCredential> {
    return this.get(caller, id);
  }

  /** Throws model_credential_invalid, model_credential_name_taken, model_credential_too_many. */
  create(caller: Caller, { secret, ...input }: NewCredential): Promise<ModelCredential> {
    const { workspaceId, keyId: createdBy } = caller;
    const provider = providerKey(input.provider);
    const values = { baseUrl: null, options: {}, ...given(input), provider };
    this.check(provider, { ...values, secret: secret ?? '' });
    return this.change(async (tx) => {
      await lockUntilCommit(tx, 'model_credentials', workspaceId);
      if ((await tx.countBy(ModelCredential, { workspaceId })) >= MOST) {
        throw ModelCredentialErrors.model_credential_too_many(MOST);
      }
      const row = { ...values, ...this.encrypted(workspaceId, secret ?? ''), workspaceId, createdBy };
      const { identifiers } = await tx.insert(ModelCredential, row).catch(nameTaken(provider, input.name));
      const credential = await getCredential(tx, caller, identifiers[0]!.id as number);
      const details = { provider, name: credential.name };
      await audit(tx, caller, { action: 'model_credential.create', entityId: credential.id, details });
      return credential;
    });
  }

  /** Takes effect for calls that begin from now on. */
  update(caller: Caller, id: number, { secret, ...change }: CredentialChange): Promise<ModelCredential> {
    const { workspaceId } = caller;
    return this.change(async (tx) => {
      const credential = await getCredential(tx, caller, id, 'for_no_key_update');
      requireOwnSecret(credential, { ...change, secret });
      const { baseUrl, options, name, provider } = { ...credential, ...given(change) };
      this.check(provider, { baseUrl, options, secret: secret ?? null });
      const changed = given({ ...change, ...(typeof secret === 'string' && this.encrypted(workspaceId, secret)) });
      await tx
        .update(ModelCredential, { workspaceId, id }, { ...changed, updatedAt: new Date() })
        .catch(nameTaken(provider, name));
      const details = { changed: Object.keys(changed) };
      await audit(tx, caller, { action: 'model_credential.update', entityId: id, details });
      return getCredential(tx, caller, id);
    });
  }

  delete(caller: Caller, id: number): Promise<void> {
    return this.change(async (tx) => {
      const { provider, name } = await getCredential(tx, caller, id);
      await tx.delete(ModelCredential, { workspaceId: caller.workspaceId, id });
      await audit(tx, caller, { action: 'model_credential.delete', entityId: id, details: { provider, name } });
    });
  }

  private async change<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const result = await this.db.transaction(work);
    this.store.forget();
    return result;
  }

  /** A secret of null is not checked, because it stays. */
  private check(
    provider: string,
    credential: { baseUrl: string | null; options: Record<string, string>; secret: string | null },
  ): void {
    const needs = this.providers.credentialNeeds(provider);
    const problem = problemOf(provider, needs, credential) ?? this.problemOfAddress(credential.baseUrl);
    if (problem) throw ModelCredentialErrors.model_credential_invalid(problem);
  }

  private problemOfAddress(baseUrl: string | null): string | null {
    const problem = baseUrl === null ? null : this.outbound.findProblem(baseUrl);
    return problem && `The base_url cannot be called. ${problem}`;
  }

  private encrypted(workspaceId: number, secret: string): Pick<ModelCredential, 'secret' | 'lastFour'> {
    return { secret: this.store.encrypt(workspaceId, secret), lastFour: secretEnd(secret) };
  }
}

/** `lock`: the address and the secret of a change are checked against those that are stored when it is made. */
async function getCredential(
  tx: EntityManager,
  { workspaceId }: Caller,
  id: number,
  lock?: 'for_no_key_update',
): Promise<ModelCredential> {
  const credential = await tx.findOne(ModelCredential, {
    where: { workspaceId, id },
    ...(lock && { lock: { mode: lock } }),
  });
  if (!credential) throw ModelCredentialErrors.model_credential_not_found(id);
  return credential;
}

/**
 * An address at another origin needs its own secret, because a stored secret could otherwise be read by sending it to
 * another server. Throws model_credential_secret_needed.
 */
function requireOwnSecret({ baseUrl: old }: ModelCredential, { baseUrl, secret }: CredentialChange): void {
  if (baseUrl === undefined || typeof secret === 'string' || originOf(baseUrl) === originOf(old)) return;
  throw ModelCredentialErrors.model_credential_secret_needed();
}

/** null for the usual address of the vendor, and for an invalid address, which is refused with its own reason. */
const originOf = (url: string | null): string | null =>
  url !== null && URL.canParse(url) ? new URL(url).origin : null;

function problemOf(
  provider: string,
  needs: CredentialNeeds,
  { baseUrl, options, secret }: { baseUrl: string | null; options: Record<string, string>; secret: string | null },
): string | null {
  const problem = problemOfOptions(provider, needs, options);
  if (problem) return problem;
  if (needs.baseUrlRequired && !baseUrl) return `A credential of ${provider} needs a base_url.`;
  // Self-hosted servers often need no key.
  if (secret === '' && needs.secret !== null && !baseUrl) {
    return `A credential of ${provider} needs a secret: ${needs.secret ?? 'an API key.'}`;
  }
  return null;
}

function problemOfOptions(provider: string, needs: CredentialNeeds, options: Record<string, string>): string | null {
  const wrong = Object.entries(options).find(([, value]) => typeof value !== 'string' || value.length > LONGEST_OPTION);
  if (wrong) return `options.${wrong[0]} should be a text of at most ${LONGEST_OPTION} characters.`;
  const known = Object.entries(needs.options ?? {});
  const missing = known.find(([name, { required }]) => required && !options[name]);
  if (missing) return `A credential of ${provider} needs options.${missing[0]}: ${missing[1].description}`;
  const unknown = Object.keys(options).find((name) => !known.some(([other]) => other === name));
  if (unknown !== undefined) {
    const names = known.map(([name]) => name).join(', ') || 'none';
    return `A credential of ${provider} has no option "${unknown}". It takes: ${names}.`;
  }
  const broken = known.find(([name, { inHost }]) => inHost && options[name] && !HOST_LABEL.test(options[name]));
  return broken ? `options.${broken[0]} can have letters, digits and hyphens only: it is part of an address.` : null;
}

function given<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

function nameTaken(provider: string, name: string): (error: unknown) => never {
  return (error) => {
    throw uniqueViolation(error) === 'model_credentials_name_key'
      ? ModelCredentialErrors.model_credential_name_taken(provider, name)
      : error;
  };
}
