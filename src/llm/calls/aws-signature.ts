/** An access key as it is stored: `<id>:<secret>`, with `:<session token>` behind it where it has one. */
const ACCESS_KEY = /^([A-Z0-9]{16,128}):([^:]+)(?::(.+))?$/;

/**
 * The headers under which a service of AWS accepts a request. The secret is an access key `<id>:<secret>[:<session token>]`
 * or an API key of Bedrock.
 */
export async function awsHeaders(
  secret: string,
  region: string,
  { url, body }: { url: URL; body: string },
): Promise<Record<string, string>> {
  const [, accessKeyId, secretAccessKey, sessionToken] = ACCESS_KEY.exec(secret) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return { authorization: `Bearer ${secret}` };
  const credentials = { accessKeyId, secretAccessKey, sessionToken };
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@aws-crypto/sha256-js'),
  ]);
  const signer = new SignatureV4({ credentials, region, service: 'bedrock', sha256: Sha256 });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    headers: { host: url.host, 'content-type': 'application/json' },
    body,
  });
  return headers;
}
