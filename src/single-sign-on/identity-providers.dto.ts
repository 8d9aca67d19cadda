import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../platform/http/common-fields.js';
import { BooleanField, DateTimeField, EnumField, ListField, TextField } from '../platform/http/fields.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { ValidationProblem } from '../platform/errors/problem.js';
import { type Admission, ADMISSIONS } from './identity-provider.entity.js';
import type { NewProvider, ProviderChange } from './identity-providers.service.js';
import { OIDC_DEFAULTS } from './oidc-defaults.js';
import { type Provider, readDomains } from './provider.js';

const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** Several scopes are separated by spaces. */
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const VISIBLE = /^[\x20-\x7e]+$/;

const SlugField = (description: string) =>
  TextField({ minLength: 1, maxLength: 63, pattern: SLUG, description, example: 'partners' });

const NameField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 80,
    description: 'The name on the button of the sign-in page.',
    example: 'Partners',
  });

const IssuerField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 2000,
    description:
      'The issuer: the URL below which `/.well-known/openid-configuration` is. It starts with https:// and leads to the public internet unless OUTBOUND_ALLOW_PRIVATE is on.',
    example: 'https://login.example.com',
  });

const ClientIdField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 1000,
    pattern: VISIBLE,
    description: 'The id that the provider has given this server.',
    example: 'tracesheet',
  });

class ProviderSettings {
  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 4000,
    pattern: VISIBLE,
    description:
      'The secret that the provider has given this server. It is encrypted and never shown again. Null for a public client, which is protected by PKCE alone.',
    example: 'an-example-of-a-secret',
  })
  client_secret?: string | null;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 1000,
    pattern: SCOPES,
    default: OIDC_DEFAULTS.scopes,
    description: 'The scopes to ask for, separated by spaces; `openid` is always among them.',
    example: OIDC_DEFAULTS.scopes,
  })
  scopes?: string;

  @TextField({
    optional: true,
    minLength: 1,
    maxLength: 255,
    default: OIDC_DEFAULTS.groupsClaim,
    description: 'The claim with the groups of a person. Dots lead into objects, as in `realm_access.roles`.',
    example: OIDC_DEFAULTS.groupsClaim,
  })
  groups_claim?: string;

  @EnumField(ADMISSIONS, {
    optional: true,
    description:
      'People who get an account with the first sign-in, besides those with an open invitation: nobody else (`invited`, the default), people with addresses of `domains`, or people in a group with a rule (`groups`).',
    example: 'invited',
  })
  admission?: Admission;

  @ListField('string', {
    optional: true,
    maxItems: 100,
    description: 'Domains of e-mail addresses, for the admission `domains`. Subdomains are separate domains.',
    example: ['example.com'],
  })
  domains?: string[];

  @BooleanField({ optional: true, description: 'Whether people can sign in with it. Default: true.', example: true })
  enabled?: boolean;
}

@Closed()
export class CreateIdentityProviderRequest extends ProviderSettings {
  @SlugField('The name of the provider in URLs: lower-case letters, digits and hyphens. It cannot be changed.')
  slug: string;

  @NameField(false)
  name: string;

  @IssuerField(false)
  issuer: string;

  @ClientIdField(false)
  client_id: string;
}

@Closed()
export class UpdateIdentityProviderRequest extends ProviderSettings {
  @NameField(true)
  name?: string;

  @IssuerField(true)
  issuer?: string;

  @ClientIdField(true)
  client_id?: string;
}

export class IdentityProviderPath {
  @TextField({ query: true, maxLength: 255, description: 'The slug of the provider, from the list.', example: 'acme' })
  identity_provider: string;
}

export class IdentityProviderBody {
  @SlugField('The name of the provider in URLs.')
  slug: string;

  @NameField(false)
  name: string;

  @TextField({ description: 'The issuer.' })
  issuer: string;

  @TextField({ description: 'The id that the provider has given this server.' })
  client_id: string;

  @BooleanField({ description: 'Whether there is a client secret, which is never shown.' })
  has_client_secret: boolean;

  @TextField({ description: 'The scopes to ask for, separated by spaces.' })
  scopes: string;

  @TextField({ description: 'The claim with the groups of a person.' })
  groups_claim: string;

  @EnumField(ADMISSIONS, { description: 'People who get an account with the first sign-in, besides invited ones.' })
  admission: Admission;

  @ListField('string', { description: 'Domains of e-mail addresses, for the admission `domains`.' })
  domains: string[];

  @BooleanField({ description: 'Whether people can sign in with it.' })
  enabled: boolean;

  @BooleanField({
    description: 'True for the provider that the OIDC_ settings of the server name, which cannot be changed here.',
  })
  is_from_environment: boolean;

  @TextField({
    description: 'The path of the redirect URI, below the address of this server. Register it at the provider.',
    example: '/console/sign-in/acme/callback',
  })
  callback_path: string;

  @TextField({
    description:
      'The path for back-channel logout, below the address of this server. Register it if the provider has it.',
    example: '/console/sign-in/acme/logout',
  })
  logout_path: string;

  @DateTimeField({ nullable: true, description: 'When it was created; null for the one of the environment.' })
  created_at: string | null;
}

export class IdentityProviderResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => IdentityProviderBody, description: 'The provider as it is after the request.' })
  identity_provider: IdentityProviderBody;
}

export class IdentityProvidersResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [IdentityProviderBody],
    description: 'All providers: that of the environment first, then the others, oldest first.',
  })
  identity_providers: IdentityProviderBody[];
}

export class IdentityProviderDeletedResponse {
  @SuccessField()
  success: true;
}

/** Throws a 422 for an invalid domain, and for an admission by domains without any. */
export function toNewProvider(body: CreateIdentityProviderRequest): NewProvider {
  const change = toProviderChange(body);
  if (body.admission === 'domains' && !change.domains?.length) throw invalid('domains', 'Field required', 'missing');
  return { ...change, slug: body.slug, name: body.name, issuer: body.issuer, clientId: body.client_id };
}

/** Throws a 422 for an invalid domain. */
export function toProviderChange(body: UpdateIdentityProviderRequest): ProviderChange {
  const domains = body.domains && readDomains(body.domains);
  if (domains === null) throw invalid('domains', 'Input should be domains such as example.com', 'value_error');
  const values = {
    name: body.name,
    issuer: body.issuer,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    scopes: body.scopes,
    groupsClaim: body.groups_claim,
    admission: body.admission,
    domains,
    enabled: body.enabled,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as ProviderChange;
}

const invalid = (field: string, msg: string, type: string) =>
  new ValidationProblem([{ loc: ['body', field], msg, type }]);

export function toProviderBody(provider: Provider): IdentityProviderBody {
  const { slug, name, issuer, scopes, admission, domains, enabled, createdAt } = provider;
  return {
    slug,
    name,
    issuer,
    client_id: provider.clientId,
    has_client_secret: provider.clientSecret !== null,
    scopes,
    groups_claim: provider.groupsClaim,
    admission,
    domains,
    enabled,
    is_from_environment: provider.isFromEnvironment,
    callback_path: `/console/sign-in/${slug}/callback`,
    logout_path: `/console/sign-in/${slug}/logout`,
    created_at: createdAt?.toISOString() ?? null,
  };
}
