/** jimp with the formats that are read and nothing but resizing: all of it would be 90 MB on the disk. */
import { createJimp } from '@jimp/core';
import bmp from '@jimp/js-bmp';
import gif from '@jimp/js-gif';
import jpeg from '@jimp/js-jpeg';
import png from '@jimp/js-png';
import tiff from '@jimp/js-tiff';
import { methods as resize } from '@jimp/plugin-resize';

/** The library. */
export const Jimp = createJimp({ formats: [bmp, gif, jpeg, png, tiff], plugins: [resize] });
