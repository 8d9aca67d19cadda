import { Column, Entity, Index } from 'typeorm';
import { CreatedAtColumn, IdentityColumn } from '../platform/database/common-columns.js';

/** People who get an account with the first sign-in: invited ones, those with addresses of domains, or those in a group with a rule. */
export const ADMISSIONS = ['invited', 'domains', 'groups'] as const;
export type Admission = (typeof ADMISSIONS)[number];

/** An OpenID provider with which people sign in to the console of this installation. */
@Entity('identity_providers')
@Index('identity_providers_slug_key', ['slug'], { unique: true })
export class IdentityProvider {
  @IdentityColumn('integer')
  id: number;

  /** The name of the provider in URLs. It never changes: the provider knows the URL. */
  @Column({ type: 'text' })
  slug: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  issuer: string;

  @Column({ name: 'client_id', type: 'text' })
  clientId: string;

  /** Encrypted, see `secretPlace`; null for a public client. */
  @Column({ name: 'client_secret', type: 'bytea', nullable: true })
  clientSecret: Buffer | null;

  /** Separated by spaces. */
  @Column({ type: 'text' })
  scopes: string;

  /** The claim that lists the groups of a person; dots lead into objects. */
  @Column({ name: 'groups_claim', type: 'text', default: 'groups' })
  groupsClaim: string;

  @Column({ type: 'text', default: 'invited' })
  admission: Admission;

  /** Domains of e-mail addresses, in ASCII and lower case. */
  @Column({ type: 'text', array: true, default: '{}' })
  domains: string[];

  @Column({ type: 'boolean', default: true })
  enabled: boolean;

  @CreatedAtColumn()
  createdAt: Date;
}

/** The encryption context of a client secret. */
export const secretPlace = (slug: string): string => `identity provider ${slug}`;
