import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { IdentityBody } from '../api/schema.gen';
import { ProviderButtons, useWays } from '../shell/providers';
import { FormDialog } from '../ui/form';
import { Moment } from '../ui/moment';
import { Table } from '../ui/table';
import { Section } from './section';

/** Linked identities of the account. Nothing without an identity provider. */
export function Identities() {
  const { data: ways } = useWays();
  const [unlinking, setUnlinking] = useState<IdentityBody | null>(null);
  const begin = (provider: string) => api('POST /console/identities', { body: { provider } });
  if (!ways || ways.providers.length === 0) return null;
  return (
    <>
      <Section
        title="Linked identities"
        about="Identity providers with which you can sign in."
        permission={null}
        to=""
        queryKey={['own-identities']}
        read={(signal) => api('GET /console/identities', { signal })}
        actions={<ProviderButtons providers={ways.providers} label="Link" begin={begin} />}
      >
        {({ identities }) => <IdentityTable identities={identities} onUnlink={setUnlinking} />}
      </Section>
      {unlinking && <Unlink identity={unlinking} onClose={() => setUnlinking(null)} />}
    </>
  );
}

function IdentityTable({
  identities,
  onUnlink,
}: {
  identities: IdentityBody[];
  onUnlink: (identity: IdentityBody) => void;
}) {
  if (identities.length === 0) return <p className="quiet-text">None.</p>;
  return (
    <Table
      label="Linked identities"
      rows={identities}
      keyOf={({ id }) => id}
      classOf={({ is_usable }) => (is_usable ? undefined : 'off')}
      columns={[
        { name: 'Provider', cell: ({ provider, is_usable }) => `${provider.name}${is_usable ? '' : ' (disabled)'}` },
        { name: 'E-mail address', cell: ({ email }) => <span dir="auto">{email ?? 'unknown'}</span> },
        { name: 'Last sign-in', cell: ({ last_sign_in_at }) => <Moment at={last_sign_in_at} /> },
        {
          name: '',
          className: 'buttons',
          cell: (identity) => (
            <button className="button" onClick={() => onUnlink(identity)}>
              Unlink
            </button>
          ),
        },
      ]}
    />
  );
}

function Unlink({ identity, onClose }: { identity: IdentityBody; onClose: () => void }) {
  const refresh = useRefresh('own-identities', 'session');
  const unlink = async () => {
    await api('DELETE /console/identities/{identity_id}', { path: { identity_id: identity.id } });
    await refresh();
  };
  return (
    <FormDialog
      title={`Unlink ${identity.provider.name}?`}
      submit="Unlink"
      isDangerous
      onSubmit={unlink}
      onClose={onClose}
    >
      <p>You can no longer sign in with it. Roles from its groups are removed.</p>
    </FormDialog>
  );
}
