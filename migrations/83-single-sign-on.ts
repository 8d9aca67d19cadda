import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-in with OpenID providers: providers, the identities of users at them, sign-ins under way, and used logout tokens. */
export class SingleSignOn1780000000083 implements MigrationInterface {
  name = 'SingleSignOn1780000000083';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE identity_providers (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT identity_providers_pkey PRIMARY KEY,
        slug text NOT NULL,
        name text NOT NULL,
        issuer text NOT NULL,
        client_id text NOT NULL,
        client_secret bytea,
        scopes text NOT NULL,
        groups_claim text NOT NULL DEFAULT 'groups',
        admission text NOT NULL DEFAULT 'invited',
        domains text[] NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL DEFAULT true,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await db.query('CREATE UNIQUE INDEX identity_providers_slug_key ON identity_providers (slug)');
    await db.query(`
      CREATE TABLE user_identities (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT user_identities_pkey PRIMARY KEY,
        provider_id integer NOT NULL
          CONSTRAINT user_identities_provider_id_fkey REFERENCES identity_providers (id) ON DELETE CASCADE,
        issuer text NOT NULL,
        subject text NOT NULL,
        user_id integer NOT NULL CONSTRAINT user_identities_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        email text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_sign_in_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await db.query(`
      CREATE UNIQUE INDEX user_identities_subject_key ON user_identities (provider_id, issuer, subject)`);
    await db.query('CREATE INDEX user_identities_user_idx ON user_identities (user_id)');
    await createAttempts(db);
    await db.query(`
      ALTER TABLE console_sessions
        ADD COLUMN provider_id integer
          CONSTRAINT console_sessions_provider_id_fkey REFERENCES identity_providers (id) ON DELETE CASCADE,
        ADD COLUMN provider_sid text`);
    await db.query(`
      CREATE INDEX console_sessions_provider_idx ON console_sessions (provider_id, provider_sid) WHERE provider_id IS NOT NULL`);
    await db.query(`ALTER TABLE user_links ADD COLUMN purpose text NOT NULL DEFAULT 'password'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE user_links DROP COLUMN purpose');
    await db.query('DROP INDEX console_sessions_provider_idx');
    await db.query('ALTER TABLE console_sessions DROP COLUMN provider_id, DROP COLUMN provider_sid');
    await db.query('DROP TABLE logout_tokens, sign_in_attempts, user_identities, identity_providers');
  }
}

async function createAttempts(db: QueryRunner): Promise<void> {
  await db.query(`
    CREATE TABLE sign_in_attempts (
      state_hash bytea CONSTRAINT sign_in_attempts_pkey PRIMARY KEY,
      browser_hash bytea NOT NULL,
      provider text NOT NULL,
      nonce text NOT NULL,
      verifier text NOT NULL,
      redirect_uri text NOT NULL,
      return_to text NOT NULL,
      workspace_id integer,
      invitation_hash bytea,
      user_id integer CONSTRAINT sign_in_attempts_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
      expires_at timestamptz(3) NOT NULL
    )`);
  await db.query('CREATE INDEX sign_in_attempts_expiry_idx ON sign_in_attempts (expires_at)');
  await db.query(`
    CREATE TABLE logout_tokens (
      provider_id integer NOT NULL
        CONSTRAINT logout_tokens_provider_id_fkey REFERENCES identity_providers (id) ON DELETE CASCADE,
      jti_hash bytea NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      CONSTRAINT logout_tokens_pkey PRIMARY KEY (provider_id, jti_hash)
    )`);
}
