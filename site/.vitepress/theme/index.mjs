import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';

import recording from '../../../docs/screen.svg?url';
import './style.css';

/** The default theme with the recording on the first page. */
export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-after': () =>
        h('div', { class: 'recording' }, [
          h('img', {
            src: recording,
            alt: 'A recording: Tenon reads a file, changes it, asks before a command that needs the network, and shows the tree of the session',
          }),
        ]),
    }),
};
