import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { SignInProviderBody } from '../api/schema.gen';
import { Refused } from '../ui/parts';

/** The ways to sign in. They are read after the end of a session, too. */
export function useWays() {
  return useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: ({ signal }) => api('GET /console/sign-in', { signal }),
    networkMode: 'always',
  });
}

interface LinksProps {
  providers: SignInProviderBody[];
  /** Opens a new tab, for pages with unsaved changes. */
  inNewTab: boolean;
  workspaceId?: number;
}

/** Buttons that lead to the identity providers and back to this page. */
export function ProviderLinks({ providers, inNewTab, workspaceId }: LinksProps) {
  const here =
    location.pathname === '/console/sign-in-failed' ? '/console/' : location.href.slice(location.origin.length);
  const query = new URLSearchParams({ to: inNewTab ? '/console/' : here });
  if (workspaceId !== undefined) query.set('workspace_id', String(workspaceId));
  return providers.map(({ slug, name }) => (
    <a
      key={slug}
      className="button"
      href={`/console/sign-in/${encodeURIComponent(slug)}?${query.toString()}`}
      {...(inNewTab && { target: '_blank', rel: 'noreferrer' })}
    >
      Sign in with {name}
    </a>
  ));
}

interface ButtonsProps {
  providers: SignInProviderBody[];
  /** Before the name of the provider. */
  label: string;
  /** Returns the page of the provider. */
  begin: (slug: string) => Promise<{ url: string }>;
}

/** Buttons that prepare something on the server before they lead to an identity provider. */
export function ProviderButtons({ providers, label, begin }: ButtonsProps) {
  const [error, setError] = useState<Error | null>(null);
  const leave = (slug: string) => {
    setError(null);
    begin(slug).then(({ url }) => location.assign(url), setError);
  };
  return (
    <>
      {providers.map(({ slug, name }) => (
        <button key={slug} type="button" className="button" onClick={() => leave(slug)}>
          {label} {name}
        </button>
      ))}
      <Refused error={error} />
    </>
  );
}
