/** A browser at an identity provider, without scripts: it follows redirects there and keeps cookies. */
export class ProviderBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly origin: string) {}

  /** Follows redirects until one leaves the provider, or to a page. */
  async go(url: string, form?: Record<string, string>): Promise<{ url: string; page: string }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.cookies.set(name!, value!);
    }
    const location = answer.headers.get('location');
    if (location === null) return { url, page: await answer.text() };
    const next = new URL(location, url);
    return next.origin === this.origin ? this.go(next.href) : { url: next.href, page: '' };
  }
}
