// Reads a ticket from a picture of its QR code and checks the signature, by what tickets are said to be and without
// the program's help.
import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, hkdfSync, verify } from "node:crypto";
import jsqr from "jsqr";
import { PNG } from "pngjs";

// readTicket returns what the code on a picture says. Format: USHER1.<claims>.<signature>, both base64url; the
// claims are order id, screening id (16 bytes each) and booking code.
export function readTicket(picture, secret) {
  const png = PNG.sync.read(picture);
  const code = (jsqr.default ?? jsqr)(new Uint8ClampedArray(png.data), png.width, png.height);
  assert.ok(code, "the QR code can be read from the screen");
  const parts = code.data.split(".");
  assert.equal(parts.length, 3, code.data);
  assert.equal(parts[0], "USHER1");
  const claims = Buffer.from(parts[1], "base64url");
  const signature = Buffer.from(parts[2], "base64url");
  return {
    text: code.data,
    orderID: uuid(claims.subarray(0, 16)),
    screeningID: uuid(claims.subarray(16, 32)),
    bookingCode: claims.subarray(32).toString("latin1"),
    signed: verify(null, Buffer.from(`${parts[0]}.${parts[1]}`), publicKey(secret), signature),
  };
}

function uuid(bytes) {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

// publicKey derives the house's ticket key: HKDF-SHA256 of the secret gives the seed of an Ed25519 key.
function publicKey(secret) {
  const seed = Buffer.from(hkdfSync("sha256", secret, "", "usher ticket key 1", 32));
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  return createPublicKey(createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" }));
}
