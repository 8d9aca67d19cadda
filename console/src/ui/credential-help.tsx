import { Link } from 'wouter';

const MISSING = /no credential(?: "[^"]*")? for the provider (\S+?)[.,](?:\s|$)/;

/** Leads from an error for want of a key to the place where one is added; nothing for other errors. */
export function CredentialHelp({ message }: { message: string }) {
  const provider = MISSING.exec(message)?.[1];
  if (!provider) return null;
  return (
    <Link className="link" href={`/settings/models?${new URLSearchParams({ provider })}`}>
      Add a key for {provider}
    </Link>
  );
}
