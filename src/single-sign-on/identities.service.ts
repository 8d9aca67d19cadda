import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { auditEverywhere, getUser, keepRules, setGroups } from '../administration/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { IdentityProviders } from './identity-providers.service.js';
import { groupSource, type Provider } from './provider.js';
import { SingleSignOnErrors } from './single-sign-on.errors.js';
import { UserIdentity } from './user-identity.entity.js';

/** An identity of a user, with the provider that vouches for it. */
export interface LinkedIdentity {
  identity: UserIdentity;
  provider: Provider;
  /** Whether the user can sign in with it. */
  isUsable: boolean;
}

/** The identities of users, and the ways of signing in. */
@Injectable()
export class Identities {
  constructor(
    private readonly db: DataSource,
    private readonly providers: IdentityProviders,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Whether people sign in with passwords. Without LOCAL_SIGN_IN they do while there is no provider to sign in with. */
  async havePasswords(): Promise<boolean> {
    return this.config.localSignIn ?? (await this.providers.listEnabled()).length === 0;
  }

  /** Oldest first. */
  async list(userId: number): Promise<LinkedIdentity[]> {
    return listIdentities(this.db.manager, userId, await this.providers.list());
  }

  /** Throws identity_not_found and last_way_to_sign_in. */
  async unlink(requestId: string, userId: number, id: number): Promise<void> {
    const havePasswords = await this.havePasswords();
    const providers = await this.providers.list();
    await this.db.transaction(async (tx) => {
      await keepRules(tx);
      // Locked, because two identities could be unlinked at the same time.
      const user = await getUser(tx, userId, { lock: true });
      const linked = await listIdentities(tx, userId, providers);
      const found = linked.find(({ identity }) => identity.id === id);
      if (!found) throw SingleSignOnErrors.identity_not_found(id);
      const others = linked.filter((each) => each !== found && each.isUsable);
      const hasPassword = havePasswords && user.password !== null;
      if (others.length === 0 && !hasPassword) throw SingleSignOnErrors.last_way_to_sign_in();
      await tx.delete(UserIdentity, { id });
      await forgetGroups(tx, requestId, found, linked);
      const details = { name: user.name ?? user.email, provider: found.provider.slug, email: found.identity.email };
      await auditEverywhere(tx, { requestId, by: 'user' }, user, [
        { action: 'identity.unlink', entityId: id, details },
      ]);
    });
  }

  /** Id of the user with a subject; null if there is none. */
  async findUserId(providerId: number, { issuer }: Provider, subject: string): Promise<number | null> {
    const identity = await this.db.manager.findOneBy(UserIdentity, { providerId, issuer, subject });
    return identity?.userId ?? null;
  }
}

async function listIdentities(tx: EntityManager, userId: number, providers: Provider[]): Promise<LinkedIdentity[]> {
  const identities = await tx.find(UserIdentity, {
    where: { userId },
    relations: { provider: true },
    order: { id: 'ASC' },
  });
  const bySlug = new Map(providers.map((provider) => [provider.slug, provider]));
  return identities.map((identity) => {
    const provider = bySlug.get(identity.provider!.slug)!;
    const isUsable = provider.enabled && provider.issuer === identity.issuer;
    return { identity, provider, isUsable };
  });
}

/** Roles by groups end with the last identity at a provider. */
async function forgetGroups(
  tx: EntityManager,
  requestId: string,
  { identity, provider }: LinkedIdentity,
  linked: LinkedIdentity[],
): Promise<void> {
  const hasAnother = linked.some((each) => each.identity.id !== identity.id && each.provider.slug === provider.slug);
  if (!hasAnother)
    await setGroups(tx, requestId, { source: groupSource(provider), users: [{ userId: identity.userId, groups: [] }] });
}
