import { Link } from 'wouter';

const MISSING = /no credential(?: "[^"]*")? for the provider (\S+?)[.,](?:\s|$)/;

/** Links from an error about a missing key to the form that adds one; nothing for other errors. */
export function CredentialHelp({ message }: { message: string }) {
  const provider = MISSING.exec(message)?.[1];
  if (!provider) return null;
  return (
    <Link className="link" href={`/settings/models?${new URLSearchParams({ provider })}`}>
      Add a key for {provider}
    </Link>
  );
}
