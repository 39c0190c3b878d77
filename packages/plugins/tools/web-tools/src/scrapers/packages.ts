/** Registries of packages: npm, PyPI, crates.io. */
import type { Scraper } from '../api.ts';
import { base, day, facts, getJson, join, object, objects, pathOf, text } from './site.ts';

const MAX_LISTED = 30;

function names(value: unknown): string {
  const list = Object.entries(object(value)).map(([name, range]) => `${name} ${text(range)}`);
  return list.length > MAX_LISTED ? `${list.slice(0, MAX_LISTED).join(', ')}, … (${list.length})` : list.join(', ');
}

/** The scraper for npmjs.com/package/…. Without an address of a registry it asks the one beside the site. */
export function npmScraper(given: string): Scraper {
  return {
    async scrape(url, call) {
      const [section, ...rest] = pathOf(url);
      if (section !== 'package') return undefined;
      const scoped = rest[0]?.startsWith('@') === true;
      const name = rest.slice(0, scoped ? 2 : 1).join('/');
      const [marker, wanted] = rest.slice(scoped ? 2 : 1);
      if (name === '') return undefined;
      const registry = given || `https://registry.${new URL(url).hostname.replace(/^www\./, '')}`;
      const response = await getJson(call, `${base(registry)}/${name.replace('/', '%2f')}`);
      if (response === undefined) return undefined;
      const about = object(response);
      const latest = text(object(about['dist-tags'])['latest']);
      const version = marker === 'v' && wanted !== undefined ? wanted : latest;
      const current = object(object(about['versions'])[version]);
      const repository = text(object(about['repository'])['url'])
        .replace(/^git\+/, '')
        .replace(/\.git$/, '');
      const readme = text(about['readme']);
      return {
        title: name,
        text: join(
          `# ${name} ${version}`,
          text(about['description']),
          facts({
            Latest: latest,
            Published: day(object(about['time'])[version]),
            License: text(current['license'] ?? about['license']),
            Homepage: text(about['homepage']),
            Repository: repository,
            Engines: names(current['engines']),
            Dependencies: names(current['dependencies']),
            'Peer dependencies': names(current['peerDependencies']),
            Deprecated: text(current['deprecated']),
            Versions: Object.keys(object(about['versions'])).length,
          }),
          readme === '' ? undefined : `---\n\n${readme}`,
        ),
      };
    },
  };
}

/** The scraper for pypi.org/project/…. */
export function pypiScraper(site: string): Scraper {
  return {
    async scrape(url, call) {
      const [section, name, version] = pathOf(url);
      if (section !== 'project' || name === undefined) return undefined;
      const path = [name, ...(version === undefined ? [] : [version])].map(encodeURIComponent).join('/');
      const response = await getJson(call, `${base(site)}/pypi/${path}/json`);
      if (response === undefined) return undefined;
      const info = object(object(response)['info']);
      const requires = Array.isArray(info['requires_dist']) ? info['requires_dist'].map(text) : [];
      const files = objects(object(response)['urls']);
      const links = Object.entries(object(info['project_urls'])).map(([label, link]) => `- ${label}: ${text(link)}`);
      const description = text(info['description']);
      const isHtml = text(info['description_content_type']).startsWith('text/html');
      return {
        title: text(info['name']),
        text: join(
          `# ${text(info['name'])} ${text(info['version'])}`,
          text(info['summary']),
          facts({
            Released: day(files[0]?.['upload_time_iso_8601']),
            License: text(info['license_expression'] ?? info['license']).split('\n')[0] ?? '',
            Author: text(info['author'] ?? info['author_email']),
            Python: text(info['requires_python']),
            Requires:
              requires.length > MAX_LISTED
                ? `${requires.slice(0, MAX_LISTED).join(', ')}, … (${requires.length})`
                : requires.join(', '),
            Yanked: info['yanked'] === true ? text(info['yanked_reason']) || 'yes' : '',
          }),
          links.join('\n'),
          description === '' ? undefined : `---\n\n${isHtml ? await call.markdown(description, url) : description}`,
        ),
      };
    },
  };
}

/** The scraper for crates.io/crates/…. */
export function cratesScraper(site: string): Scraper {
  return {
    async scrape(url, call) {
      const [section, name, wanted] = pathOf(url);
      if (section !== 'crates' || name === undefined) return undefined;
      const root = `${base(site)}/api/v1/crates/${encodeURIComponent(name)}`;
      const response = await getJson(call, root);
      if (response === undefined) return undefined;
      const about = object(object(response)['crate']);
      const version = wanted ?? text(about['max_stable_version'] ?? about['max_version']);
      const current = objects(object(response)['versions']).find((release) => release['num'] === version) ?? {};
      const readme = await call.get(`${root}/${encodeURIComponent(version)}/readme`, { accept: 'text/html' });
      const features = Object.keys(object(current['features']));
      return {
        title: name,
        text: join(
          `# ${text(about['name'])} ${version}`,
          text(about['description']),
          facts({
            Published: day(current['created_at']),
            License: text(current['license']),
            'Rust version': text(current['rust_version']),
            Downloads: text(about['downloads']),
            Repository: text(about['repository']),
            Documentation: text(about['documentation']) || `https://docs.rs/${name}`,
            Features: features.slice(0, MAX_LISTED).join(', '),
            Yanked: current['yanked'] === true ? 'yes' : '',
          }),
          readme.status === 200 ? `---\n\n${await call.markdown(readme.text, url)}` : undefined,
        ),
      };
    },
  };
}
