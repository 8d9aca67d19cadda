import type { DataSource } from 'typeorm';
import { findUserByEmail, membershipsOf, UsersService } from '../administration/index.js';
import { LaunchError } from './launch-error.js';

/**
 * The path of a page on which an administrator signs in once.
 * @throws LaunchError when the address is not that of an active administrator of a workspace
 */
export async function createSignInLink(db: DataSource, requestId: string, email: string): Promise<string> {
  const user = await findUserByEmail(db.manager, email);
  const memberships = user?.status === 'active' ? await membershipsOf(db.manager, user.id) : [];
  if (!user || !memberships.some(({ roles }) => roles.includes('admin'))) {
    throw new LaunchError(`${email} is not the address of an active administrator of a workspace.`);
  }
  const { token } = await new UsersService(db).createSignInLink(requestId, user.id);
  return `/console/sign-in-link#${token}`;
}
