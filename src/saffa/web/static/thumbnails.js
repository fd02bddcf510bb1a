// Small pictures of the whole video, cut out of the server's sheets.

export class Thumbnails {
  constructor(sheet) {
    Object.assign(this, sheet); // interval, columns, rows, width, height, count
    this.images = sheet.sheets.map(() => null);
    this.arrived = () => {};
  }

  /** The picture nearest to a source time: {image, x, y}, or null while it is loading or not made yet. */
  at(source) {
    if (!this.count) return null;
    const k = Math.max(0, Math.min(this.count - 1, Math.round(source / this.interval)));
    const each = this.columns * this.rows;
    const image = this.#image(Math.floor(k / each));
    if (!image) return null;
    const place = k % each;
    const x = (place % this.columns) * this.width;
    const y = Math.floor(place / this.columns) * this.height;
    return { image, x, y, source: k * this.interval };
  }

  /** Fill a canvas with the picture of a source time; false if there is none. */
  draw(canvas, source) {
    const found = this.at(source);
    if (!found) return false;
    if (canvas.width !== this.width || canvas.height !== this.height) {
      canvas.width = this.width;
      canvas.height = this.height;
    }
    canvas.dataset.source = String(found.source);
    const pen = canvas.getContext("2d");
    pen.drawImage(found.image, found.x, found.y, this.width, this.height, 0, 0, this.width, this.height);
    return true;
  }

  #image(n) {
    if (n >= this.sheets.length) return null;
    if (!this.images[n]) {
      const image = new Image();
      image.src = this.sheets[n];
      image.addEventListener("load", () => this.arrived());
      this.images[n] = image;
    }
    return this.images[n].complete && this.images[n].naturalWidth ? this.images[n] : null;
  }
}
