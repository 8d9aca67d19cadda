import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ModelCredentialBody, ModelProviderBody } from '../api/schema.gen';
import { GuardedButton, useMay } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { useQueryOfUrl } from '../ui/address';
import { FormDialog } from '../ui/form';
import { count } from '../ui/format';
import { Table } from '../ui/table';
import { EditCredential } from './edit-credential';
import { Section } from './section';
import { TestCredential } from './test-credential';

type Open =
  { kind: 'new'; provider: string } | { kind: 'edit' | 'delete' | 'test'; credential: ModelCredentialBody } | null;

/** The keys for calling models. A link may name the provider without one: `?provider=…`. */
export function Models() {
  const path = useHere();
  const may = useMay('ADMIN');
  const asked = useQueryOfUrl().get('provider');
  const [open, setOpen] = useState<Open>(may && asked ? { kind: 'new', provider: asked } : null);
  const providers = useQuery({
    queryKey: ['model-providers'],
    queryFn: ({ signal }) => api('GET /api/public/v2/model-providers', { signal }),
  });
  return (
    <>
      <Section
        title="Models"
        about="The keys that prompts, judges and trials call models with. A key is stored encrypted, and only its last four characters are shown again."
        permission="ADMIN"
        to="see and change the keys of models"
        queryKey={['model-credentials']}
        read={(signal) => api(`GET ${WORKSPACE}/model-credentials`, { path, signal })}
        actions={
          <GuardedButton
            permission="ADMIN"
            className="button primary"
            onClick={() => setOpen({ kind: 'new', provider: '' })}
          >
            Add a key
          </GuardedButton>
        }
      >
        {({ model_credentials: credentials }) => (
          <>
            {credentials.length === 0 ? (
              <p>There are no keys yet.</p>
            ) : (
              <CredentialTable credentials={credentials} onOpen={setOpen} />
            )}
            <p className="quiet-text">
              The model <code>echo</code> of the provider <code>tracesheet</code> needs no key: it repeats what it is
              asked, costs nothing, and is for trying things out. The model of columns that name none is chosen under{' '}
              <Link className="link" href="/settings/workspace">
                Workspace
              </Link>
              .
            </p>
          </>
        )}
      </Section>
      {providers.data && (
        <OpenDialog open={open} providers={providers.data.model_providers} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

interface DialogProps {
  open: Open;
  providers: ModelProviderBody[];
  onClose: () => void;
}

function OpenDialog({ open, providers, onClose }: DialogProps) {
  switch (open?.kind) {
    case 'new':
      return <EditCredential provider={open.provider} providers={providers} onClose={onClose} />;
    case 'edit':
      return (
        <EditCredential
          provider={open.credential.provider}
          credential={open.credential}
          providers={providers}
          onClose={onClose}
        />
      );
    case 'test':
      return <TestCredential credential={open.credential} onClose={onClose} />;
    case 'delete':
      return <DeleteCredential credential={open.credential} onClose={onClose} />;
    case undefined:
      return null;
  }
}

interface TableProps {
  credentials: ModelCredentialBody[];
  onOpen: (open: Open) => void;
}

function CredentialTable({ credentials, onOpen }: TableProps) {
  const button = (kind: 'edit' | 'delete' | 'test', title: string, credential: ModelCredentialBody) => (
    <button className="button" onClick={() => onOpen({ kind, credential })}>
      {title}
    </button>
  );
  return (
    <Table
      label="Model API keys"
      rows={credentials}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Provider', cell: ({ provider }) => provider },
        { name: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
        { name: 'Key', cell: ({ last_4 }) => (last_4 === '' ? 'stored' : `…${last_4}`) },
        {
          name: 'Address',
          className: 'breaks',
          cell: ({ base_url: url }) => url ?? <span className="quiet-text">that of the provider</span>,
        },
        { name: 'Limits', cell: (credential) => limitsOf(credential).map((limit) => <div key={limit}>{limit}</div>) },
        {
          name: '',
          className: 'buttons',
          cell: (credential) => (
            <>
              {button('test', 'Test', credential)}
              {button('edit', 'Change', credential)}
              {button('delete', 'Delete', credential)}
            </>
          ),
        },
      ]}
    />
  );
}

function limitsOf(credential: ModelCredentialBody): string[] {
  const { max_concurrency: calls, requests_per_minute: requests, tokens_per_minute: tokens } = credential;
  return [
    ...(calls === null ? [] : [`${count(calls)} at a time`]),
    ...(requests === null ? [] : [`${count(requests)} calls a minute`]),
    ...(tokens === null ? [] : [`${count(tokens)} tokens a minute`]),
  ];
}

function DeleteCredential({ credential, onClose }: { credential: ModelCredentialBody; onClose: () => void }) {
  const path = useHere();
  const refresh = useRefresh('model-credentials', 'model-providers');
  const remove = async () => {
    const { id: credential_id } = credential;
    await api(`DELETE ${WORKSPACE}/model-credentials/{credential_id}`, { path: { ...path, credential_id } });
    await refresh();
  };
  return (
    <FormDialog title="Delete this key?" submit="Delete" isDangerous onSubmit={remove} onClose={onClose}>
      <p>
        Prompts, judges and trials that call {credential.provider} with the key “<bdi>{credential.name}</bdi>” fail from
        now on. Calls that have begun go on.
      </p>
    </FormDialog>
  );
}
