import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isDeepStrictEqual } from 'node:util';
import { auditCreation, changeUser, emailKey, removeUser, type UserAuthor } from '../../administration/index.js';
import { Authenticator, User } from '../../access/index.js';
import { uniqueViolation } from '../../platform/errors/failures.js';
import type { JsonObject } from '../../platform/json.js';
import type { ProviderRequest, ScimListQuery } from '../protocol/http.js';
import { listStatement } from '../protocol/list.js';
import { readOperations, readResource } from '../protocol/messages.js';
import { applyPatch } from '../protocol/patch.js';
import { USER } from '../protocol/schemas.js';
import { toAttributes } from '../protocol/values.js';
import { requireVersion } from '../protocol/versions.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { fullName, type ScimUser, toUserColumns, toUserResource, writableOf } from './user-resource.js';
import { USER_SORTS, USER_SOURCE, userKey } from './user-source.js';
import { countUsers, findScimUser, listScimUsers } from './users.queries.js';

/** Manages users for identity providers. They have the rights of the operator, even over the last administrator of a workspace. */
@Injectable()
export class ScimUsers {
  constructor(
    private readonly db: DataSource,
    private readonly authenticator: Authenticator,
  ) {}

  /** Throws scim_filter_invalid and scim_path_invalid. */
  async list(query: ScimListQuery): Promise<{ users: ScimUser[]; total: number; startIndex: number }> {
    const statement = listStatement(USER_SOURCE, USER_SORTS, query);
    const { page } = statement;
    const total = await countUsers(this.db.manager, statement);
    const isEmpty = page.limit === 0 || page.offset >= total;
    const users = isEmpty ? [] : await listScimUsers(this.db.manager, statement);
    return { users, total, startIndex: page.startIndex };
  }

  /** Throws scim_resource_not_found. */
  get(id: string): Promise<ScimUser> {
    return getScimUser(this.db.manager, id);
  }

  /** A user without password and memberships. Throws scim_uniqueness, scim_syntax_invalid and scim_value_invalid. */
  create(request: Pick<ProviderRequest, 'requestId'>, body: unknown): Promise<ScimUser> {
    const columns = toUserColumns(toAttributes(USER.attributes, readResource(USER, body)));
    return this.db.transaction(async (tx) => {
      const values = { ...columns, emailKey: emailKey(columns.email) };
      const insert = tx
        .createQueryBuilder()
        .insert()
        .into(User)
        .values(values as object)
        .orIgnore()
        .returning('id');
      const { raw } = (await insert.execute()) as { raw: { id: number }[] };
      if (!raw[0]) throw ScimErrors.scim_uniqueness('userName', columns.email);
      const { id } = raw[0];
      await auditCreation(tx, authorOf(request), { id, email: columns.email, name: columns.name });
      return getScimUser(tx, String(id));
    });
  }

  /** Throws the errors of `create` and `get`, and scim_version_outdated. */
  replace(request: ProviderRequest, id: string, body: unknown): Promise<ScimUser> {
    const attributes = toAttributes(USER.attributes, readResource(USER, body));
    // A body without `active` must not enable a disabled user.
    return this.change(request, id, ({ active }) => ({ active: active!, ...attributes }));
  }

  /** Throws the errors of `replace` and `applyPatch`. */
  patch(request: ProviderRequest, id: string, body: unknown): Promise<ScimUser> {
    const operations = readOperations(body);
    return this.change(request, id, (attributes) => applyPatch(USER, withoutDerivedName(attributes), operations));
  }

  /** Throws scim_resource_not_found and scim_version_outdated. */
  async delete(request: ProviderRequest, id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await this.lock(tx, request, id);
      await removeUser(tx, authorOf(request), await tx.findOneByOrFail(User, { id: Number(id) }));
    });
    this.authenticator.forget();
  }

  private async change(
    request: ProviderRequest,
    id: string,
    change: (attributes: JsonObject) => JsonObject,
  ): Promise<ScimUser> {
    const user = await this.db.transaction(async (tx) => {
      const old = writableOf(await this.lock(tx, request, id));
      const columns = toUserColumns(change(old));
      if (isDeepStrictEqual(columns, toUserColumns(old))) return getScimUser(tx, id);
      const stored = await tx.findOneByOrFail(User, { id: Number(id) });
      await changeUser(tx, authorOf(request), stored, columns).catch((error: unknown) => {
        throw uniqueViolation(error) === 'users_email_key'
          ? ScimErrors.scim_uniqueness('userName', columns.email)
          : error;
      });
      return getScimUser(tx, id);
    });
    this.authenticator.forget();
    return user;
  }

  private async lock(tx: EntityManager, { ifMatch }: ProviderRequest, id: string): Promise<ScimUser> {
    const user = await getScimUser(tx, id, { lock: true });
    requireVersion(ifMatch, toUserResource(user, '').meta.version);
    return user;
  }
}

const authorOf = ({ requestId }: Pick<ProviderRequest, 'requestId'>): UserAuthor => ({ requestId, by: 'scim' });

async function getScimUser(tx: EntityManager, id: string, options: { lock?: boolean } = {}): Promise<ScimUser> {
  const user = userKey(id) === '' ? null : await findScimUser(tx, Number(id), options);
  if (!user) throw ScimErrors.scim_resource_not_found('User', id.slice(0, 100));
  return user;
}

/** A display name that was made from the parts of the name follows them. */
function withoutDerivedName(attributes: JsonObject): JsonObject {
  const { displayName, ...others } = attributes;
  return displayName === undefined || displayName === fullName(attributes.name) ? others : attributes;
}
