// Conch session script, built from frontend/src. Do not edit.
(()=>{var{apply:pe,construct:gt,defineProperty:xe,getOwnPropertyDescriptor:vt}=Reflect,{AbortController:ln,Array:Me,ArrayBuffer:it,
Blob:Hr,DOMException:vr,DataView:we,Error:ne,EventSource:Br,JSON:Be,Map:D,Number:oe,Object:E,Promise:Te,Proxy:Dr,RangeError:I,
Set:he,String:Vr,TextDecoder:fn,TextEncoder:un,TypeError:C,URL:at,Uint32Array:Ae,Uint8Array:j,WeakMap:dn,XMLHttpRequest:pn,
clearTimeout:hn,encodeURIComponent:yt,parseInt:ct}=globalThis,{abs:wn,floor:De,fround:mn,max:F,min:re,random:zr}=Math,Bt=Date.
now,gn=globalThis.performance?globalThis.performance.now.bind(globalThis.performance):Bt;function yn(e){return Ho.getRandomValues(
new j(e))}var Fr=Vt(globalThis.fetch),Dt=Vt(globalThis.setTimeout),Gr=Vt(globalThis.setInterval),ve=globalThis.console,bt={
error:ve.error.bind(ve),warn:ve.warn.bind(ve),info:ve.info.bind(ve)},{crypto:Ho}=globalThis,{addEventListener:vo,removeEventListener:Bo}=globalThis.
EventTarget.prototype;function Vt(e){return e&&e.bind(globalThis)}function Ve(e,t,n,o){pe(vo,e,[t,n,o])}function ze(e,t,n){
pe(Bo,e,[t,n])}function me(e,t){let n=e&&vt(e,t)?.get;return n?o=>pe(n,o,[]):o=>o[t]}function bn(e){let t=e.prototype,{send:n,close:o}=t,r=vt(t,"binaryType")?.set,{MessageEvent:u,CloseEvent:f}=globalThis;return{
open(a,i){let s=gt(e,i===void 0?[a]:[a,i]);return r&&pe(r,s,["arraybuffer"]),s},send:(a,i)=>pe(n,a,[i]),close:(a,...i)=>pe(
o,a,i),readyState:me(t,"readyState"),bufferedAmount:me(t,"bufferedAmount"),protocol:me(t,"protocol"),listen:Ve,unlisten:ze,
data:me(u?.prototype,"data"),code:me(f?.prototype,"code"),reason:me(f?.prototype,"reason"),wasClean:me(f?.prototype,"was\
Clean")}}function _n(e,t=bt){return{debugging:e.debug,error:(n,...o)=>t.error(`net [${n}]`,...o),note:(n,o)=>t.warn(`net [${n}] ${o}`),
debug:(n,o)=>{e.debug&&t.info(`net [${n}] ${o}`)}}}var zt=1<<20,Ft=oe.MAX_SAFE_INTEGER,Do=me(it.prototype,"byteLength"),Vo=new un,zo=new fn("utf-8",{fatal:!0,ignoreBOM:!0});
function W(e){return Vo.encode(e)}function ke(e){return zo.decode(e)}function de(e){if(e instanceof ge)return e._bytes.subarray(
0,e._length);if(it.isView(e))return new j(e.buffer,e.byteOffset,e.byteLength);if(e==null)return new j(0);try{Do(e)}catch{
throw new C("bytes are a DataStream, an ArrayBuffer, a typed array or a DataView")}return new j(e)}var ge=class{constructor(){
this._bytes=new j(64),this._view=new we(this._bytes.buffer),this._length=0,this._at=0,this._limit=zt}static from(t){let n=de(
t);if(n.length>zt)throw new I(`DataStream: ${n.length} bytes, at most ${zt} fit`);return lt(n.slice())}get length(){return this.
_length}get position(){return this._at}set position(t){if(!(t>=0&&t<=this._length)||t%1!==0)throw new I(`DataStream: no \
position ${t}`);this._at=t}toUint8Array(){return this._bytes.slice(0,this._length)}_grow(t){let n=this._at,o=n+t;if(o>this.
_limit)throw new I(`DataStream: at most ${this._limit} bytes fit`);if(o>this._bytes.length){let r=new j(F(o,this._bytes.
length*2));r.set(this._bytes),this._bytes=r,this._view=new we(r.buffer)}return this._at=o,o>this._length&&(this._length=
o),n}_take(t){let n=this._at;if(n+t>this._length)throw new I("DataStream: read past the end");return this._at=n+t,n}writeU8(t){
let n=this._grow(1);this._view.setUint8(n,t)}writeI8(t){let n=this._grow(1);this._view.setInt8(n,t)}writeU16(t){let n=this.
_grow(2);this._view.setUint16(n,t,!0)}writeI16(t){let n=this._grow(2);this._view.setInt16(n,t,!0)}writeU32(t){let n=this.
_grow(4);this._view.setUint32(n,t,!0)}writeI32(t){let n=this._grow(4);this._view.setInt32(n,t,!0)}writeF32(t){let n=this.
_grow(4);this._view.setFloat32(n,t,!0)}writeF64(t){let n=this._grow(8);this._view.setFloat64(n,t,!0)}writeBool(t){this.writeU8(
t?1:0)}writeVarU(t){if(!(t>=0&&t<=Ft)||t%1!==0)throw new I(`DataStream: ${t} is no varint`);for(;t>127;)this.writeU8(t%128+
128),t=(t-t%128)/128;this.writeU8(t)}writeVarI(t){this.writeVarU(t<0?-t*2-1:t*2)}writeString(t){this.writeBytes(W(t))}writeBytes(t){
let n=de(t);this.writeVarU(n.length),this.writeRaw(n)}writeRaw(t){let n=de(t),o=this._grow(n.length);this._bytes.set(n,o)}readU8(){
return this._view.getUint8(this._take(1))}readI8(){return this._view.getInt8(this._take(1))}readU16(){return this._view.
getUint16(this._take(2),!0)}readI16(){return this._view.getInt16(this._take(2),!0)}readU32(){return this._view.getUint32(
this._take(4),!0)}readI32(){return this._view.getInt32(this._take(4),!0)}readF32(){return this._view.getFloat32(this._take(
4),!0)}readF64(){return this._view.getFloat64(this._take(8),!0)}readBool(){let t=this.readU8();if(t>1)throw new I("DataS\
tream: neither true nor false");return t===1}readVarU(){let t=0;for(let n=1;n<2**56;n*=128){let o=this.readU8();if(t+=(o&
127)*n,!(o>127)){if(t>Ft||o===0&&n>1)break;return t}}throw new I("DataStream: not a varint")}readVarI(){let t=this.readVarU();
return t%2?-(t+1)/2:t/2}readString(){return ke(this.readRaw(this.readVarU()))}readBytes(){return this.readRaw(this.readVarU()).
slice()}readRaw(t){let n=this._take(t);return this._bytes.subarray(n,n+t)}};function lt(e){let t=new ge;return t._bytes=
e,t._view=new we(e.buffer,e.byteOffset,e.byteLength),t._length=e.length,t}function Fe(){let e=new ge;return e._limit=Ft,
e}var xn=65536,Tn=16,An=4096,Sn=oe.MAX_SAFE_INTEGER,{hasOwnProperty:Fo}=E.prototype,Ge=new we(new j(8).buffer);function Gt(e,{
size:t=xn,nesting:n=Tn,elements:o=An}={}){let r=new we(e.buffer,e.byteOffset,e.byteLength),u=0;function f(d){let w=u;if(w+
d>e.length||w+d>t)throw new I("value is cut short or too long");return u+=d,w}function a(d){if(d<24)return d;if(d===24)return r.
getUint8(f(1));if(d===25)return r.getUint16(f(2));if(d===26)return r.getUint32(f(4));if(d!==27)throw new I("value of unk\
nown length");let w=f(8),y=r.getUint32(w)*2**32+r.getUint32(w+4);if(y>Sn)throw new I("number too large");return y}function i(d){
let w=a(d);if(w>o)throw new I(`${w} elements, at most ${o}`);return w}function s(d){let w=a(d),y=f(w);return e.subarray(
y,y+w)}function l(d){if(d===20||d===21)return d===21;if(d===22)return null;if(d===25)return qo(r.getUint16(f(2)));if(d===
26)return r.getFloat32(f(4));if(d===27)return r.getFloat64(f(8));throw new I("not a value of state")}function c(d){let w=r.
getUint8(f(1)),y=w&31,x=w>>5;if(d===0&&(x===4||x===5))throw new I("nested too deep");switch(x){case 0:return a(y);case 1:{
let k=a(y);if(k===Sn)throw new I("number too large");return-1-k}case 2:return s(y).slice();case 3:return ke(s(y));case 4:{
let k=[];for(let O=i(y);O>0;O--)k.push(c(d-1));return E.freeze(k)}case 5:{let k={};for(let O=i(y);O>0;O--){let g=r.getUint8(
f(1));if(g>>5!==3)throw new I("a key that is no text");let S=ke(s(g&31));if(pe(Fo,k,[S]))throw new I("the same key twice");
xe(k,S,{value:c(d-1),enumerable:!0})}return E.freeze(k)}case 7:return l(y);default:throw new I("not a value of state")}}
return{value:c(n),length:u}}function qe(e,t){let{value:n,length:o}=Gt(e,t);if(o!==e.length)throw new I("bytes after the \
value");return n}function Xe(e,{size:t=xn,nesting:n=Tn,elements:o=An}={}){let r=Fe();function u(s,l){let c=s<<5;if(l<24)
return r.writeU8(c|l);let p=l<2**8?0:l<2**16?1:l<2**32?2:3;r.writeU8(c|24+p),Ge.setUint32(0,l/2**32),Ge.setUint32(4,l),r.
writeRaw(new j(Ge.buffer,8-(1<<p)))}function f(s,l){u(s,l.length),r.writeRaw(l)}function a(s){if(oe.isSafeInteger(s)&&(s!==
0||1/s>0))return s<0?u(1,-1-s):u(0,s);let l=mn(s)===s||s!==s;r.writeU8(l?250:251),l?Ge.setFloat32(0,s):Ge.setFloat64(0,s),
r.writeRaw(new j(Ge.buffer,0,l?4:8))}function i(s,l){if(r.length>t)throw new I(`a value of state has at most ${t} bytes`);
if(s===null||s===!1||s===!0)return r.writeU8(s===null?246:s?245:244);if(typeof s=="number")return a(s);if(typeof s=="str\
ing")return f(3,W(s));if(s instanceof j)return f(2,s);let c=Me.isArray(s);if(!c&&!Go(s))throw new C("state holds null, b\
ooleans, numbers, texts, Uint8Array, lists and plain objects of these");if(l===0)throw new I(`a value of state nests at \
most ${n} deep`);let p=c?s:E.keys(s);if(p.length>o)throw new I(`a list or object in state has at most ${o} elements`);u(
c?4:5,p.length);for(let d of p)c||f(3,W(d)),i(c?d:s[d],l-1)}if(i(e,n),r.length>t)throw new I(`a value of state has at mo\
st ${t} bytes`);return r.toUint8Array()}function Go(e){if(typeof e!="object")return!1;let t=E.getPrototypeOf(e);return t===
null||E.getPrototypeOf(t)===null}function qo(e){let t=e>>10&31,n=e&1023,o=t===31?n?NaN:1/0:t===0?n*2**-24:(1024+n)*2**(t-
25);return e&32768?-o:o}var Jt="conch.session.1",xt="/_conch/session",Un=524288,Xo=16<<20,kn=4096,En=1,Tt=0,Pe=1,J=2,dt=["ok","no_handler","hand\
ler_threw","no_object","not_owner","rejected","rate_limited","queue_full","too_large","peer_gone","not_ready","no_owner",
"timeout","unknown"],R={read:e=>e.readVarU(),write:(e,t)=>e.writeVarU(t)},_t={read:e=>e.readU8(),write:(e,t)=>e.writeU8(
t)},On={read:e=>e.readU32(),write:(e,t)=>e.writeU32(t)},ut={read:e=>e.readBool(),write:(e,t)=>e.writeBool(t)},ft=e=>({read:t=>t.
readRaw(e).slice(),write:(t,n)=>t.writeRaw(n)}),je=e=>({read:t=>t.readRaw(At(t.readVarU(),e)).slice(),write:(t,n)=>t.writeBytes(
n)}),Je=(e,t=0)=>({read(n){let o=At(n.readVarU(),e);if(o<t)throw new I("a name that is empty");return ke(n.readRaw(o))},
write:(n,o)=>n.writeBytes(W(o))}),St=(e,t)=>({read(n){let o=[];for(let r=At(n.readVarU(),e);r>0;r--)o.push(t.read(n));return o},
write(n,o){n.writeVarU(o.length);for(let r of o)t.write(n,r)}}),v=(e,t)=>({read(n){let o={};for(let r in e)o[r]=e[r].read(
n);if(t&&!t(o))throw new I("a field out of range");return o},write(n,o){for(let r in e)e[r].write(n,o[r])}}),Xt={read(e){
let t=e.readVarU();if(t%4>J||t%4===Tt&&t>0)throw new I("a target of no kind");return t},write:R.write},Wo={read(e){let t=e.
readVarU(),n=(t-t%2)/2;if(t%2)return{name:n,removed:!0,raw:new j(0),value:void 0};let o=e.position,{value:r,length:u}=Gt(
e.readRaw(e.length-o));return e.position=o,{name:n,removed:!1,raw:e.readRaw(u).slice(),value:r}},write(e,t){e.writeVarU(
t.name*2+(t.removed?1:0)),e.writeRaw(t.raw)}},Wt=St(1024,Wo),Rn=v({class:Je(128),owner:R,persistent:ut}),Mn={read(e){let t=Xt.
read(e),{class:n,owner:o,persistent:r}=t%4===J?Rn.read(e):{class:"",owner:0,persistent:!1};return{target:t,class:n,owner:o,
persistent:r,fields:Wt.read(e)}},write(e,t){e.writeVarU(t.target),t.target%4===J&&Rn.write(e,t),Wt.write(e,t.fields)}},In=Je(
128,1),$n=je(262144),We=Je(128),qt=Je(512),Cn=Je(32),Jo=v({args:R,message:R,frames:R,framesBurst:R,bytes:R,bytesBurst:R,
calls:R,callsBurst:R,pingMillis:R,timeoutMillis:R,resumeMillis:R,callsInFlight:R}),T={hello:1,challenge:2,auth:3,welcome:4,
reject:5,ping:6,pong:7,bye:8,load:10,loaded:11,activate:12,names:19,snapBegin:20,snapPart:21,snapEnd:22,delta:23,spawn:24,
despawn:25,owner:26,resync:27,check:28,rpc:30,result:31,relayed:32},jn={[T.hello]:v({minVersion:R,maxVersion:R,nonce:ft(
16),project:ft(32)}),[T.challenge]:v({version:R,nonce:ft(16),project:ft(32),need:_t,salt:je(32),iterations:R}),[T.auth]:v(
{build:We,session:We,name:We,kind:_t,spectator:ut,userData:je(4096),proof:je(32),resume:je(16),loaded:R}),[T.welcome]:v(
{id:R,session:We,token:ft(16),role:_t,resumed:ut,proof:je(32),hostMicros:R,tickHz:R,limits:Jo}),[T.reject]:v({code:Cn,text:qt,
retryAfterMillis:R}),[T.ping]:v({seq:R,t0:R}),[T.pong]:v({seq:R,t0:R,t1:R,t2:R}),[T.bye]:v({code:Cn,text:qt}),[T.load]:v(
{transition:R,uuid:We,name:We,seamless:ut}),[T.loaded]:v({transition:R,ok:ut,text:qt}),[T.activate]:v({transition:R}),[T.
names]:v({base:R,names:St(kn,Je(128))},e=>e.base+e.names.length<=kn),[T.snapBegin]:v({seq:R,size:R},e=>e.size<=Xo),[T.snapPart]:{
read:e=>({data:e.readRaw(At(e.length-e.position,16384)).slice()}),write:(e,t)=>e.writeRaw(t.data)},[T.snapEnd]:v({crc:On}),
[T.delta]:v({prev:R,seq:R,changes:St(65536,v({target:Xt,fields:Wt}))}),[T.spawn]:v({entity:Mn},e=>e.entity.target%4===J),
[T.despawn]:v({target:Xt},e=>e.target!==Tt),[T.owner]:v({object:R,owner:R}),[T.resync]:v({seq:R}),[T.check]:v({seq:R,crc:On}),
[T.rpc]:v({call:R,object:R,name:In,args:$n}),[T.result]:v({call:R,status:_t,value:je(65536)}),[T.relayed]:v({from:R,object:R,
name:In,args:$n})};function At(e,t){if(e>t)throw new I(`longer than ${t}`);return e}function Ke(e,t){let n=Fe();jn[e].write(
n,t);let o=Fe();return o.writeU8(e),o.writeU8(0),o.writeBytes(n),o.toUint8Array()}function Pn(e){let t=lt(e),n=[];do{let o=t.
readU8(),r=t.readU8();if(r&~En)throw new I(`frame ${o} has unknown flags`);let u=t.readRaw(t.readVarU()),f=jn[o];if(f)n.
push({type:o,weight:u.length,...f.read(lt(u))});else if(!(r&En))throw new I(`unknown frame ${o}`)}while(t.position<t.length);
return n}var Ln=St(65536,Mn);function Nn(e){return Ln.read(lt(e))}function Hn(e){let t=Fe();return Ln.write(t,e),t._bytes.
subarray(0,t._length)}function vn(e,{driver:t,log:n,origin:o}){let r=o.replace(/^http/,"ws"),u=0,f={error:(i,...s)=>n.error("session",i,...s),
note:i=>n.note("session",i),debug:i=>n.debug("session",i)},a=({host:i,port:s,secure:l})=>`${l?"wss":"ws"}://${i}:${s}${xt}`;
return{connect(i,{projectId:s}){let l=a(i);if(!o)return Kt(t,l,Jt);let c=`u=${yt(l)}&project=${yt(s)}&n=${++u}`;return Kt(
t,`${r}/__conch/session/join?${c}`,Jt)},now:gn,wall:Bt,random:yn,setTimeout:(i,s)=>Dt(i,s),clearTimeout:i=>hn(i),storage:Yo(
e),places:new he,log:f,kind:o?"launcher":"browser",onWake(i){let{document:s}=e,l=()=>{s.visibilityState==="visible"&&i()};
return s&&Ve(s,"visibilitychange",l),Ve(e,"pageshow",i),Ve(e,"online",i),()=>{s&&ze(s,"visibilitychange",l),ze(e,"pagesh\
ow",i),ze(e,"online",i)}},host:o?{start:i=>Ko(`${o}/__conch/session/host`,i),link:i=>Kt(t,`${r}/__conch/session/link?hos\
t=${yt(i)}`,void 0)}:null}}function Kt(e,t,n){let o=e.open(t,n),r={onopen:null,onmessage:null,onclose:null,get bufferedAmount(){
return e.bufferedAmount(o)},send(a){e.readyState(o)===1&&e.send(o,a)},close(a,i){e.readyState(o)<2&&e.close(o,a,i)}};e.listen(
o,"open",()=>{if(n!==void 0&&e.protocol(o)!==n)return e.close(o,4002,"another protocol");r.onopen&&r.onopen()}),e.listen(
o,"message",a=>{r.onmessage&&r.onmessage(e.data(a))});let u=!1;function f(a,i){u||(u=!0,r.onclose&&r.onclose(a,i))}return e.
listen(o,"close",a=>f(e.code(a),e.reason(a))),e.listen(o,"error",()=>Dt(()=>{e.readyState(o)===3&&f(1006,"")},100)),r}function Ko(e,t){
let n={ok:!1,error:"the launcher did not answer",port:0,joinCode:"",dedicated:!1,maxArgs:0,hostMicros:0,link:""};try{let o=gt(
pn,[]);return o.open("POST",e,!1),o.setRequestHeader("Content-Type","application/json"),o.send(Be.stringify(t)),E.assign(
n,Be.parse(o.responseText))}catch{return n}}function Yo(e){try{return e.sessionStorage||null}catch{return null}}var Zo=/^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i,Qo=/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
er=/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/,tr=/^\d+\.\d+\.\d+\.\d+$/;function nr(e){let t=e.replace(/^\uFEFF/,"").replace(
/#.*/s,"").trim(),n=Zo.exec(t);if(!n)return null;let o=n[3]===void 0?0:oe(n[3]);if(n[3]!==void 0&&(o<1||o>65535))return null;
let r;try{r=zn(new at(`ws://${n[2]}/`).hostname)}catch{return null}let u=n[1]!==void 0;return!r||u&&Fn(r)?null:{host:r,port:o,
wildcard:u}}function Bn(e){let t=[];for(let n of e){let o=nr(n);o&&t.push(o)}return t}function Dn(e,t){let n=kt(t),o=or(
t);return n?e.some(r=>(r.port===0||r.port===o)&&(r.wildcard?!Fn(n)&&n.endsWith("."+r.host):n===r.host)):!1}function kt(e){
return zn(e.hostname)}function or(e){return e.port?oe(e.port):e.protocol==="wss:"||e.protocol==="https:"?443:80}function Vn(e){
let t=kt(e);return t==="localhost"||t==="127.0.0.1"||t==="::1"}function zn(e){if(e.startsWith("[")){let n=e.slice(1,-1),
o=er.exec(n);if(!o)return n;let r=ct(o[1],16),u=ct(o[2],16);return`${r>>8}.${r&255}.${u>>8}.${u&255}`}let t=e.endsWith("\
.")?e.slice(0,-1):e;return t.length<=253&&Qo.test(t)?t:""}function Fn(e){return e.includes(":")||tr.test(e)}var Yt=24642;function Gn(e){let t=typeof e=="string"?e.trim():"",[,n,o]=/^(?:(ws|wss|http|https):\/\/)?(.+)$/i.exec(t)||
[];if(!o||/[\s\\?#@]/.test(o))return null;let r=!n&&/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(o)?`[${o}]`:o,u=/s$/i.
test(n||"")&&!/^ws$/i.test(n||""),f;try{f=new at(`${u?"wss":"ws"}://${r}`)}catch{return null}let a=kt(f),[,i=""]=/^\/j\/([0-9A-Za-z-]{1,16})$/.
exec(f.pathname)||[];if(!a||f.pathname!=="/"&&f.pathname!==xt&&!i)return null;let s=/:(\d+)(?:\/|$)/.exec(r.replace(/^\[.*\]/,
"")),l=s?oe(s[1]):u?443:Yt;if(l<1||l>65535)return null;let c=a.includes(":")?`[${a}]`:a;return{host:c,port:l,secure:u,text:`${c}\
:${l}`,code:i}}function qn({host:e,port:t,secure:n},o){let r=new at(`${n?"wss":"ws"}://${e}:${t}/`);return Vn(r)||/\.local$/.
test(e)||rr(e)||Dn(Bn(o),r)}function rr(e){return/^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^169\.254\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.
test(e)||/^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/.test(e)}function Ee({log:e,later:t,cancel:n}){let o="pending",r,u=[];function f(i,s){if(o!=="pending")return;o=i,r=s;let l=u;u=[];
for(let c of l)c()}let a=E.freeze({get state(){return o},get result(){return o==="succeeded"?r:void 0},get error(){return o===
"failed"?r:void 0},onDone(i){if(typeof i!="function")throw new C("onDone: a listener is a function");let s=()=>{try{i(a)}catch(l){
e.error("onDone threw:",l)}};return o==="pending"?u.push(s):t(s),a},cancel(){return o!=="pending"||!n||!n()?!1:(t(()=>f(
"failed","cancelled")),!0)},then(i,s){let c=new Te((p,d)=>{let w=()=>o==="succeeded"?p(r):d(new ne(r));o==="pending"?u.push(
w):w()}).then(i,s);return c.catch(()=>{}),c}});return{op:a,succeed:i=>f("succeeded",i),fail:i=>f("failed",i)}}var sr=65536,ir=1e4;function Et({log:e,now:t,later:n}){let o=new D,r=new D,u=0;function f(a){let i=[...a.results.values()];
i.some(s=>s===null)||(r.delete(a.id),a.operation.succeed(a.many?E.freeze(i):i[0]))}return{handlers:o,get inFlight(){return r.
size},open(a,i,s){let l=++u,c=Ee({log:e,later:n,cancel:()=>s()&&r.delete(l)}),p={id:l,operation:c,many:i,results:new D,at:t(),
sent:!1,lost:!1,takeBack:s};for(let d of a)p.results.set(d,null);return r.set(l,p),p},settle(a,i,s,l,c=t()){let p=r.get(
a);if(!p||p.results.get(i)!==null)return;let d={callId:a,connectionId:i,rttMs:c-p.at,status:s};p.results.set(i,E.freeze(
l&&l.length?{...d,value:ge.from(l)}:d)),f(p)},fail(a,i){let s=r.get(a);r.delete(a),s&&s.operation.fail(i)},failAll(a){for(let i of[
...r.keys()])this.fail(i,a)},linkLost(){for(let a of r.values())a.sent&&(a.lost=!0)},endLost(){for(let a of[...r.values()])
if(a.lost)for(let i of a.results.keys())this.settle(a.id,i,"unknown")},expire(){for(let a of[...r.values()])if(!(t()-a.at<
ir)){a.takeBack()&&this.fail(a.id,"timeout");for(let i of a.results.keys())this.settle(a.id,i,"timeout")}},handle(a,i,s){
let l=Ye(a);if(typeof i!="function")throw new C("onRpc: a handler is a function");let c={run:i,anyone:s};return o.set(l,
c),()=>o.get(l)===c&&o.delete(l)},run(a,i,s,l,c){let p=o.get(a);if(!p)return c("no_handler");let d=y=>{e.error(`the hand\
ler of the call ${a} threw:`,y),c("handler_threw")},w=y=>{let x=de(y);x.length>sr?c("too_large"):c("ok",x.slice())};try{
let y=pe(p.run,void 0,[ge.from(i),s,l]);y&&typeof y.then=="function"?y.then(w).then(void 0,d):w(y)}catch(y){d(y)}}}}function Ye(e){
let t=typeof e=="string"?W(e).length:0;if(t===0||t>128)throw new C("the name of a call is a text of 1 to 128 bytes");return e}var Xn=lr(64),ar=new Ae(Xn.map(e=>Jn(e**(1/3)))),Wn=new Ae(Xn.slice(0,8).map(e=>Jn(e**(1/2)))),cr=fr();function lr(e){let t=[
2];for(let n=3;t.length<e;n+=2)t.every(o=>n%o)&&t.push(n);return t}function Jn(e){return(e-De(e))*2**32}function Zt(e,t){
for(let l=16;l<64;l++){let c=t[l-15],p=t[l-2];t[l]=t[l-16]+t[l-7]+((c>>>7|c<<25)^(c>>>18|c<<14)^c>>>3)+((p>>>17|p<<15)^(p>>>
19|p<<13)^p>>>10)}let[n,o,r,u,f,a,i,s]=e;for(let l=0;l<64;l++){let c=s+((f>>>6|f<<26)^(f>>>11|f<<21)^(f>>>25|f<<7))+(f&a^
~f&i)+ar[l]+t[l]|0,p=((n>>>2|n<<30)^(n>>>13|n<<19)^(n>>>22|n<<10))+(n&o^n&r^o&r)|0;s=i,i=a,a=f,f=u+c|0,u=r,r=o,o=n,n=c+p|
0}e[0]+=n,e[1]+=o,e[2]+=r,e[3]+=u,e[4]+=f,e[5]+=a,e[6]+=i,e[7]+=s}function Ot(e,t,n){let o=0;for(let s of t)o+=s.length;
let r=new j(o+9+63&-64),u=0;for(let s of t)r.set(s,u),u+=s.length;r[u]=128;let f=new we(r.buffer);f.setUint32(r.length-8,
(n+o)/2**29),f.setUint32(r.length-4,(n+o)*8);let a=e.slice(),i=new Ae(64);for(let s=0;s<r.length;s+=64){for(let l=0;l<16;l++)
i[l]=f.getUint32(s+l*4);Zt(a,i)}return a}function Rt(e){let t=new j(32),n=new we(t.buffer);return e.forEach((o,r)=>n.setUint32(
r*4,o)),t}var Kn=e=>e.map(t=>typeof t=="string"?W(t):t);function Ze(...e){return Rt(Ot(Wn,Kn(e),0))}function Yn(e){let t=e.
length>64?Ze(e):e;return[54,92].map(n=>{let o=new Ae(64);for(let u=0;u<64;u++)o[u>>2]|=((t[u]||0)^n)<<24-u%4*8;let r=Wn.
slice();return Zt(r,o),r})}function Qt(e,...t){let[n,o]=Yn(e);return Rt(Ot(o,[Rt(Ot(n,Kn(t),64))],64))}function Zn(e,t,n,o){
let[r,u]=Yn(W(e)),f=new Ae(64),a=new Ae(8),i=c=>{f.set(a),f.fill(0,8,16),f[8]=2147483648,f[15]=768,a.set(c),Zt(a,f)};a.set(
Ot(r,[t,new j([0,0,0,1])],64)),i(u);let s=a.slice(),l=n-1;return new Te(c=>{let p=()=>{for(let d=2e3;d>0&&l>0;d--,l--){i(
r),i(u);for(let w=0;w<8;w++)s[w]^=a[w]}l>0?o(p):c(Rt(s))};p()})}function fr(){let e=new Ae(256);for(let t=0;t<256;t++){let n=t;
for(let o=0;o<8;o++)n=n&1?n>>>1^2197175160:n>>>1;e[t]=n}return e}function It(e){let t=-1;for(let n=0;n<e.length;n++)t=cr[(t^
e[n])&255]^t>>>8;return~t>>>0}function Qe(e,t){return e.length===t.length&&e.every((n,o)=>n===t[o])}var en=1,ur=1e6;function Qn(e,{address:t,projectId:n,resuming:o,secret:r,auth:u,onOpen:f,onWelcome:a,onFrame:i,onEnd:s}){
let l=e.random(16),c="dial",p=null,d=e.connect(t,{projectId:n});d.onopen=()=>{c==="dial"&&(c="hello",f&&f(),S(T.hello,{minVersion:en,
maxVersion:en,nonce:l,project:Ze("conch.session.1 client",l,n)}))},d.onmessage=_=>{if(c!=="ended")try{if(typeof _=="stri\
ng")throw new I("a text message");if(_.byteLength>Un)throw new I("message too long");for(let U of Pn(new j(_)))w(U)}catch(U){
e.log.debug(`the host broke the protocol: ${U}`),O(c==="live"?"protocol_error":"not_a_host")}},d.onclose=(_,U)=>g({code:_,
reason:U,text:""});function w(_){if(c!=="ended")if(c==="live")_.type===T.bye?g({code:0,bye:_.code,text:_.text}):i(_);else if(_.
type===T.reject)g({code:4003,reject:_.code,text:_.text,retryAfter:_.retryAfterMillis});else if(_.type===T.challenge&&c===
"hello")y(_);else if(_.type===T.welcome&&c==="auth")k(_);else throw new I(`frame ${_.type} while joining`)}function y({version:_,
nonce:U,project:L,need:B,salt:G,iterations:ee}){if(!Qe(L,Ze("conch.session.1 host",l,U,n)))return O("not_a_host");if(_!==
en)return O("protocol_version");if(B>2||ee>ur)return O("not_a_host");if(c="auth",B===0||o)return x(new j(0));let te=r(B);
if(te===null)return O(B===1?"bad_password":"bad_code");Zn(te,G,ee,V=>e.setTimeout(V,0)).then(V=>{c==="auth"&&(p=Qt(V,"co\
nch.session.1 welcome",l,U,n),x(Qt(V,"conch.session.1 join",l,U,n)))})}function x(_){S(T.auth,{...u(),proof:_})}function k(_){
if(p&&!Qe(_.proof,p)||_.resumed!==o)return O("not_a_host");c="live",a(_)}function O(_){c==="live"&&S(T.bye,{code:"protoc\
ol_error",text:""}),g({code:0,fault:_,text:""},4002,_)}function g(_,U=4e3,L="left"){if(c==="ended")return;let B=c;c="end\
ed",d.close(U,L),s({stage:B,..._})}function S(_,U){P(Ke(_,U))}function P(_){c!=="ended"&&d.send(_)}return{send:S,write:P,
get live(){return c==="live"},get opened(){return c!=="dial"},close(_,U){c==="live"&&S(T.bye,{code:U,text:""}),c!=="ende\
d"&&d.close(_,U),c="ended"}}}var fe=Tt,Le=e=>e*4+Pe,pt=e=>e*4+J,Q=e=>(e-e%4)/4;function et(e,t,n,o,r){let u="",f={target:t,typeName:n,owner:o,persistent:r,
fields:new D,view:{}},a={get uuid(){return u||(u=hr(e.sessionId,t))},get typeName(){return f.typeName},get:i=>dr(f,`${i}`),
set:(i,s)=>pr(e,f,`${i}`,s),names:()=>[...f.fields.keys()]};return t%4===J&&E.defineProperties(a,{netObjectId:{value:Q(t),
enumerable:!0},owner:{get:()=>f.owner,enumerable:!0},persistent:{get:()=>f.persistent,enumerable:!0},isMine:{get:()=>f.owner===
e.localConnectionId,enumerable:!0}}),f.view=E.freeze(a),f}function to(e,t){for(let n=t.length;n>0;n=t.lastIndexOf(".",n-
1)){let o=t.slice(0,n),r=e.fields.get(o);if(r)return{name:o,value:r.value,rest:n<t.length?t.slice(n+1).split("."):[]}}return null}
var no=e=>typeof e=="object"&&e!==null&&!it.isView(e);function dr(e,t){let n=to(e,t);if(!n)return;let{value:o}=n;for(let r of n.
rest){if(!no(o)||!E.prototype.hasOwnProperty.call(o,r))return;o=o[r]}return o}function pr(e,t,n,o){if(!e.writable)throw new ne(
"only the session host changes state, while the session is active");let r=to(t,n);if(!r||r.rest.length===0)return eo(e,t,
n,o);eo(e,t,r.name,oo(r.value,r.rest,o))}function oo(e,[t,...n],o){if(!no(e))throw new C(`state: nothing can be set at ${t}\
, its parent holds no list or object`);let r=Me.isArray(e);if(r&&!(oe(t)<=e.length))throw new C(`state: ${t} is no posit\
ion of the list`);let u=r?[...e]:{...e},f=E.prototype.hasOwnProperty.call(u,t);return n.length>0&&(o=oo(f?u[t]:{},n,o)),
o!==void 0?E.defineProperty(u,t,{value:o,enumerable:!0,writable:!0,configurable:!0}):r?u.splice(oe(t),1):delete u[t],u}function eo(e,t,n,o){
let r=W(n).length;if(r===0||r>128)throw new C("state: a name has 1 to 128 bytes");if(o===void 0){t.fields.delete(n)&&e.changed(
t,n,null);return}let u=Xe(o),f=qe(u);t.fields.set(n,{key:0,raw:u,value:f}),e.changed(t,n,u)}function hr(e,t){return tn(Ze(
`${e}
${t}`),128)}function tn(e,t){let n=e.slice(0,16);return n[6]=n[6]&15|t,n[8]=n[8]&63|128,nn(n).replace(/^(.{8})(.{4})(.{4})(.{4})/,
"$1-$2-$3-$4-")}function nn(e){let t="";for(let n of e)t+=(n+256).toString(16).slice(1);return t}function wr(e){return tn(e.random(16),64)}function Ne(e,{uuid:t,name:n,tid:o},r){let u=r&&typeof r.instanceId=="string"?
r.instanceId:wr(e);return E.freeze({...r,instanceId:u,scene:E.freeze({uuid:t,name:n}),transitionId:o})}function ro(e){if(!e||
typeof e.uuid!="string"||e.uuid===""||e.uuid.length>36)throw new C("hostLoadScene: a scene has a uuid and a name");return{
uuid:e.uuid,name:`${e.name===void 0?"":e.name}`}}var mr=["protocol_version","wrong_project","wrong_session","build_mismatch","bad_password","bad_code","full","banned","a\
pproval_timeout","approval_error","host_stopping","rate_limited","bad_token","timeout","protocol_error"];function He(e){
return e.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,"").trim()}function Oe(e,t){let n=W(e);if(n.length<=t)return e;let o=t;for(;o>
0&&(n[o]&192)===128;)o--;return ke(n.subarray(0,o))}function Ct(e){return[...He(`${e}`)].slice(0,32).join("")}function $t(e,t){
let n=He(t);return n?`${e}: ${n}`:e}function io({stage:e,code:t,bye:n,reject:o,fault:r,text:u}){return o==="build_mismat\
ch"?$t(o,u):o?mr.includes(o)?o:$t("refused",u):r||(n==="host_stopped"||t===4001?"host_stopping":n==="kicked"?$t("refused",
u):e==="hello"?"not_a_host":"unreachable")}var so={kicked:"kicked",4004:"kicked",host_stopped:"host_stopped",host_stopping:"\
host_stopped",left:"host_stopped",local_stop:"host_stopped",4e3:"host_stopped",4001:"host_stopped",replaced:"replaced",4009:"\
replaced",rate_limited:"rate_limited",4008:"rate_limited",protocol_error:"protocol_error",4002:"protocol_error",1002:"pr\
otocol_error",1009:"protocol_error",scene_load_failed:"scene_load_failed",scene_load_timeout:"scene_load_timeout",4011:"\
scene_load_failed"};function on(e,t){let n=E.prototype.hasOwnProperty.call(so,e)?so[e]:"connection_lost";return n==="kic\
ked"||n==="scene_load_failed"?$t(n,t):n}function Ut(e){return e.toUpperCase().replace(/[\s-]/g,"").replace(/O/g,"0").replace(
/[I1]/g,"L").replace(/U/g,"V")}function ao(e,{say:t,sceneLoader:n,leave:o,report:r,later:u,appear:f}){let a={tid:0,name:"",uuid:"",loaded:null,reported:!1,
failure:"",asked:!1,active:!1},i=null,s=0;function l(){r({transition:a.tid,ok:a.failure==="",text:a.failure})}function c(){
a.active||!a.loaded||(a.active=!0,i=a.loaded,f(),t("onClientSceneActivate",a.tid))}function p(d,w,y){a.tid===0&&e.log.note(
"notifyClientSceneLoaded: the host has not asked for a scene"),!(!d||d.transitionId!==a.tid||a.reported)&&(a.reported=!0,
w?(a.loaded=Ne(e,a,d),s=a.tid):a.failure=Oe(y||"the scene could not be loaded",512),l(),w&&a.asked&&u(c))}return{get active(){
return i},get lastLoaded(){return s},get ready(){return a.tid===0||a.loaded!==null},load({transition:d,uuid:w,name:y,seamless:x}){
if(d<a.tid)return;if(d===a.tid)return a.reported?l():void 0;o(x),a={tid:d,name:y,uuid:w,loaded:null,reported:!1,failure:"",
asked:!1,active:!1};let k=a;t("onClientSceneLoadRequested",w,y,x,d);let O=n();typeof O=="function"&&new Te(g=>g(O({uuid:w,
name:y},x))).then(g=>p({...Ne(e,k,g)},!0,""),g=>{e.log.error(`the scene ${y} could not be loaded:`,g),p({transitionId:d},
!1,g instanceof ne?g.message:"")})},activate(d){d===a.tid&&(a.asked=!0,c())},loaded:p}}function Mt({ids:e,gameState:t,playerState:n,playerStates:o,objects:r,onRpc:u,change:f}){let a=co(o),i=co(r);function s(){
if(!f)throw new ne("only the session host spawns, despawns and gives objects away");return f}return E.seal({get sessionId(){
return e().sessionId},get projectId(){return e().projectId},get buildHash(){return e().buildHash},get gameState(){return t()||
null},get playerState(){return n()||null},get playerStates(){return a},get objects(){return i},spawn:(l,c,p)=>s().spawn(
l,c,p),despawn:l=>s().despawn(l),setOwner:(l,c)=>s().setOwner(l,c),onRpc:(l,c,p)=>u(l,c,!!(p&&p.anyone)),sceneLoader:void 0})}
var gr=["get","has","keys","values","entries"];function co(e){let t={get size(){return e.size},forEach:n=>e.forEach((o,r)=>n(
o,r,t)),[Symbol.iterator]:()=>e[Symbol.iterator]()};for(let n of gr)t[n]=o=>e[n](o);return E.freeze(t)}var yr=16,lo=4,fo=2,uo=250,po=2e3,ho=.05;function wo(){let e=[],t=!1,n=0,o=0,r=0,u=ho,f=0;function a(s){let l=F(0,(s-o)*
u);return n+re(F(r-n,-l),l)}function i(s,l){n=t?a(l):s,t=!0,o=l,u=ho,r=s;let c=s-n;return wn(c)<fo?r=n:c>uo||c<-po?n=s:c<
-uo&&(u=.5),c>=-po?!1:(f=0,!0)}return{get synced(){return t},start(s,l){t||(r=n=s-l,o=l,t=!0)},sample(s,l,c,p){let d=p-s-
(c-l);if(s>p||l>c||d<0||e.length>=lo&&d>3*rn(e.map(y=>y.rtt))+fo)return!1;e.push({offset:(l-s+(c-p))/2,rtt:d}),e.length>
yr&&e.shift();let w=[...e].sort((y,x)=>y.rtt-x.rtt).slice(0,lo);return i(rn(w.map(y=>y.offset)),p)},reset(){e=[]},get rtt(){
return e.length?rn(e.map(s=>s.rtt)):0},now(s){return f=F(f,s+a(s)),f}}}function rn(e){let t=[...e].sort((o,r)=>o-r),n=t.
length>>1;return t.length%2?t[n]:(t[n-1]+t[n])/2}var br=8,mo=50,_r=5e3,go=3e3;function jt(e,{ping:t,silent:n}){let o=wo(),r=new D,u=0,f=0,a=0,i=0,s=2e3,l=1e4,c=!1,p=0,d=0;
function w(){let O=De(e.now()*1e3);r.size>64&&r.clear(),r.set(++u,O),t(u,O)}function y(){e.clearTimeout(d);let O=br,g=()=>{
c&&w(),--O>0&&(d=e.setTimeout(g,mo))};g()}function x(){f=re(f,e.now()-l+go),r.clear(),o.reset(),y(),k(go+mo)}function k(O){
e.clearTimeout(p),a=e.now(),i=e.wall();let g=O;p=e.setTimeout(()=>{if(F(e.now()-a,e.wall()-i)>g+_r)return x();if(e.now()-
f>l)return n();w(),k(s)},O)}return{clock:o,start({pingMillis:O,timeoutMillis:g},S){s=F(250,re(O,6e4)),l=F(2e3,re(g,6e5)),
c=!0,f=e.now(),o.start(S/1e3,f),r.clear(),o.reset(),y(),k(s)},stop(){c=!1,e.clearTimeout(p),e.clearTimeout(d)},hear(){f=
e.now()},pong({seq:O,t0:g,t1:S,t2:P}){let _=r.get(O);_===void 0||_!==g||(r.delete(O),o.sample(_/1e3,S/1e3,P/1e3,e.now())&&
e.log.note("the clock of the session went back"))},wake(){c&&x()}}}var Sr=.95,yo=.9;function bo(e,t){let n=[],o=null,r=0,u=0;function f(){let i=e.now();for(let s of o||[])s.have=re(s.burst,
s.have+s.rate*(i-r)/1e3);r=i}function a(){if(e.clearTimeout(u),!!o)for(f();n.length>0;){let{frame:i,isCall:s,sent:l}=n[0],
c=[1,i.length,s?1:0],p=0;if(o.forEach((d,w)=>{p=F(p,(re(c[w],d.burst)-d.have)/d.rate)}),p>0){u=e.setTimeout(a,re(p,1)*1e3+
1);return}o.forEach((d,w)=>{d.have-=c[w]}),n.shift(),t(i),l&&l()}}return{send(i){n.push(i),a()},cancel(i){let s=n.length;
return n=n.filter(l=>l!==i),n.length<s},start(i){let s=(l,c)=>({rate:F(l*Sr,.001),burst:F(c*yo,1),have:F(c*yo,1)});o=[s(
i.frames,i.framesBurst),s(i.bytes,i.bytesBurst),s(i.calls,i.callsBurst)],r=e.now(),a()},pause(){e.clearTimeout(u),o=null,
n=n.filter(i=>i.isCall)},stop(){this.pause(),n=[]}}}function So(e,t){let n=new D,o=new D,r=new D,u=new he,f=-1;function a(c,p,d,w){let y=et(e,c,p,d,w);return n.set(c,y),c%4===
J&&o.set(Q(c),y.view),c%4===Pe&&r.set(Q(c),y.view),y}function i(c){n.delete(c)&&(u.delete(c),c%4===Pe&&r.delete(Q(c)),c%
4===J&&o.delete(Q(c))&&t.removed(Q(c)))}function s(c,p){for(let{name:d,key:w,removed:y,raw:x,value:k}of p){let O=c.fields.
get(d);(y?O:!O||!Qe(O.raw,x))&&u.add(c.target),y?c.fields.delete(d):c.fields.set(d,{key:w,raw:x,value:k})}}function l(c){
let{target:p,class:d,owner:w,persistent:y,fields:x}=c,k=n.get(p);k&&k.typeName!==_o(p,d)&&(i(p),k=void 0);let O=!k;k||(k=
a(p,_o(p,d),w,y));let g=k.fields;k.fields=new D;for(let{name:S,key:P,raw:_,value:U}of x)k.fields.set(S,{key:P,raw:_,value:U});
(O||k.owner!==w||!xr(g,k.fields))&&u.add(p),k.owner=w,k.persistent=y,!(!O||p%4!==J)&&(u.delete(p),t.appeared(Q(p)))}return a(
fe,"GameState",0,!1),{objects:o,players:r,get seq(){return f},get gameState(){return n.get(fe)?.view},playerState:c=>n.get(
Le(c))?.view,snapshot(c,p){let d=new he([fe]);l({target:fe,class:"",owner:0,persistent:!1,fields:[],...p.find(w=>w.target===
fe)});for(let{target:w}of p)d.add(w);for(let w of[...n.keys()])d.has(w)||i(w);for(let w of p)w.target!==fe&&l(w);f=c},delta({
prev:c,seq:p,changes:d}){if(c!==f)return!1;for(let{target:w,fields:y}of d){let x=n.get(w)||(w%4===Pe?a(w,"PlayerState",0,
!1):void 0);x&&s(x,y)}return f=p,!0},spawn(c){i(c.target),l(c)},despawn:i,setOwner(c,p){let d=n.get(c);!d||d.owner===p||
(d.owner=p,u.add(c))},dropObjects(c){for(let p of[...n.values()])p.target%4===J&&!(c&&p.persistent)&&i(p.target)},checksum(){
let c=[...n.values()].sort((p,d)=>p.target-d.target).map(p=>({target:p.target,class:p.typeName,owner:p.owner,persistent:p.
persistent,fields:[...p.fields.values()].sort((d,w)=>d.key-w.key).map(({key:d,raw:w})=>({name:d,removed:!1,raw:w,value:null}))}));
return It(Hn(c))},takeChanged(){let c=[...u];return u.clear(),c}}}function _o(e,t){return e%4===J?t:e%4===Pe?"PlayerStat\
e":"GameState"}function xr(e,t){if(e.size!==t.size)return!1;for(let[n,{raw:o}]of e){let r=t.get(n);if(!r||!Qe(o,r.raw))return!1}
return!0}function xo(e,{projectId:t,sessionId:n},o){let r=1,u=()=>`conch.session ${t} ${o.text} ${r}`;for(;e.places.has(u());)r++;
let f=u();e.places.add(f);let a=null;try{let i=Be.parse(e.storage?.getItem(f)||"");(!n||n===i.session)&&/^[0-9a-f]{32}$/.
test(i.token)&&(a=new j(16).map((l,c)=>ct(i.token.slice(c*2,c*2+2),16)))}catch{}return{get token(){return a},keep(i,s){a=
i;try{e.storage?.setItem(f,Be.stringify({token:nn(i),session:s}))}catch{}},forget(){a=null;try{e.storage?.removeItem(f)}catch{}},
leave(){e.places.delete(f)}}}var Tr=5e3,Ar=12e4,To=[0,250,500,1e3,2e3],kr=[1001,1005,1006,4005,4010],Er=8,Or=["launcher","browser"];function Ao(e,{mail:t,
emit:n,finished:o},r,u){let{projectId:f}=r,a=xo(e,r,u),i=0,s="",l="player",c={},p=!1,d=!1,w=!1,y=!1,x=null,k=0,O=!1,g=0,
S=0,P=e.kind==="launcher",_=0,U=[],L=null,B=!1,G=!0,ee=jt(e,{ping:(h,A)=>x?.send(T.ping,{seq:h,t0:A}),silent:()=>{O=!0,x?.
close(4005,"timeout"),Z()}}),te=bo(e,h=>x?.write(h)),V=Et({log:e.log,now:e.now,later:h=>t.post(h,"always")}),Ie={get sessionId(){
return s},get localConnectionId(){return i},writable:!1,changed(){}},ae=new he,H=So(Ie,{appeared(h){d&&ye.ready?ie("onCl\
ientObjectReplicated",h):ae.add(h)},removed(h){ae.delete(h)||ie("onClientObjectRemoved",h)}}),ye=ao(e,{say:ie,sceneLoader:()=>y?
void 0:ht.sceneLoader,leave:H.dropObjects,report:h=>te.send({frame:Ke(T.loaded,h),isCall:!1}),later:h=>t.post(h),appear:$e}),
ht=Mt({ids:()=>({sessionId:s,projectId:f,buildHash:r.buildHash}),gameState:()=>H.gameState,playerState:()=>H.playerState(
i),playerStates:H.players,objects:H.objects,onRpc:V.handle,change:null});function ie(h,...A){y||n(h,...A)}function wt(){
d=!0,ie("onSessionStarted"),H.takeChanged(),ie("onClientGameStateReplicated",H.gameState),H.playerState(i)&&ie("onClient\
PlayerStateReplicated",H.playerState(i)),$e()}function $e(){if(!d||!ye.ready)return;let h=[...ae];ae.clear();for(let A of h)
ie("onClientObjectReplicated",A)}function Ce(){G||!x||(G=!0,te.send({frame:Ke(T.resync,{seq:F(H.seq,0)}),isCall:!1}))}function mt({
name:h,args:A,from:N,object:X},q){if(X!==0&&!H.objects.has(X))return q("no_object");V.run(h,A,N,X,q)}function be(h){e.clearTimeout(
_),p&&(e.clearTimeout(S),S=e.setTimeout(()=>{x?.close(4005,"timeout"),z()},F(1e3,re(Tr,Ue()))));try{x=m(h)}catch(A){p?z():
ue("unreachable",A instanceof ne?A.message:"")}}function m(h){return Qn(e,{address:u,projectId:f,resuming:h,secret:A=>A===
1?r.password===void 0?null:r.password:r.joinCode||Ut(u.code)||null,auth:()=>({build:r.buildHash,session:r.sessionId,name:r.
playerName,kind:Or.indexOf(e.kind),spectator:r.asSpectator,userData:r.userData,resume:h&&a.token?a.token:new j(0),loaded:ye.
lastLoaded}),onOpen(){p||!P||(e.clearTimeout(S),S=e.setTimeout(()=>ue("timeout"),r.timeoutMs))},onWelcome:b,onFrame:$,onEnd:A=>_e(
A,h)})}function b(h){if(p&&h.id!==i)throw new I("another seat");if(h.id<2)throw new I("a seat that no client has");e.clearTimeout(
S),i=h.id,s=h.session,l=h.role===1?"spectator":"player",c=h.limits,U=[],L=null,B=!1,G=!0,a.keep(h.token,s),te.start(c),ee.
start(c,h.hostMicros),p?(g=0,O=!1,t.post(()=>{V.endLost(),ie("onClientConnectionResumed")})):S=e.setTimeout(()=>ue("time\
out","the host sent no state"),r.timeoutMs)}function $(h){if(ee.hear(),t.flooded)throw new I("more than anybody can read");
switch(h.type){case T.ping:{let A=De(e.now()*1e3);return x?.send(T.pong,{seq:h.seq,t0:h.t0,t1:A,t2:A})}case T.pong:return ee.
pong(h);case T.load:return t.post(()=>ye.load(h));case T.activate:return t.post(()=>ye.activate(h.transition));case T.result:{
let A=e.now(),N=h.status<=Er?dt[h.status]:"unknown";return t.post(()=>V.settle(h.call,1,N,h.value,A),"keep",h.weight)}case T.
rpc:return M(h);case T.relayed:{t.full||t.post(()=>mt(h,()=>{}),"call",h.weight);return}default:return K(h)}}function M(h){
let A=x,N=(X,q=new j(0))=>{h.call===0||!A||!A.live||A!==x||A.send(T.result,{call:h.call,status:dt.indexOf(X),value:q})};
if(t.full)return N("queue_full");t.post(()=>mt({...h,from:1},N),"call",h.weight)}function K(h){switch(h.type){case T.names:
if(h.base!==U.length)throw new I("a gap in the table of names");U.push(...h.names);return;case T.snapBegin:L={seq:h.seq,
size:h.size,got:0,parts:[]};return;case T.snapPart:if(!L||(L.got+=h.data.length)>L.size)throw new I("a part too much");L.
parts.push(h.data);return;case T.snapEnd:return ce(h.crc);case T.delta:{let A=h.changes.map(q=>({target:q.target,fields:se(
q.fields)})),{prev:N,seq:X}=h;return Y(h.weight,()=>{H.delta({prev:N,seq:X,changes:A})||Ce()})}case T.spawn:{let A={...h.
entity,fields:se(h.entity.fields)};return Y(h.weight,()=>H.spawn(A))}case T.despawn:return Y(h.weight,()=>H.despawn(h.target));case T.
owner:return Y(h.weight,()=>H.setOwner(h.object*4+J,h.owner));case T.check:return Y(h.weight,()=>{!G&&(H.seq!==h.seq||H.
checksum()!==h.crc)&&Ce()});default:throw new I(`a host does not send frame ${h.type}`)}}function se(h){return h.map(({name:A,
removed:N,raw:X,value:q})=>{let le=U[A];if(le===void 0)throw new I("a name that is not in the table");return{name:le,key:A,
removed:N,raw:X,value:q}})}function ce(h){if(!L)throw new I("the end of no snapshot");let{seq:A,size:N,got:X,parts:q}=L;
L=null;let le=new j(N),Ht=0;for(let st of q)le.set(st,Ht),Ht+=st.length;if(X!==N||It(le)!==h)throw new I("a damaged snap\
shot");let No=Nn(le).map(st=>({...st,fields:se(st.fields)}));Y(N,()=>{G=!1,H.snapshot(A,No),d?$e():wt()}),!(p||B)&&(p=!0,
e.clearTimeout(S))}function Y(h,A){t.full&&!B&&(t.dropState(),B=!0),B||t.post(A,"state",h)}function _e(h,A){if(w)return;
let{code:N,bye:X,reject:q,fault:le}=h;if(!p)return A&&q==="bad_token"?(a.forget(),be(!1)):ue(io(h),h.text);if(q)return q===
"bad_token"||q==="host_stopping"?ue(on(q,"")):z();if(!(le?h.stage!=="live":X?X==="timeout"||X==="slow_consumer":kr.includes(
N)))return ue(on(X||le||N,h.text));h.stage==="live"?Z():z()}function Z(){if(ee.stop(),te.pause(),!p)return ue("unreachab\
le");x=null,k=e.now(),V.linkLost(),t.post(()=>ie("onClientConnectionLost")),g=0,z()}function Ue(){return k+F(1e3,re(c.resumeMillis,
6e5))-e.now()}function z(){x=null,e.clearTimeout(S),e.clearTimeout(_);let h=Ue();if(h<=0)return ue(O?"host_not_respondin\
g":"connection_lost");let A=To[re(g++,To.length-1)];_=e.setTimeout(()=>be(!0),re(A,h))}let rt=e.onWake(()=>{w||(x&&x.live?
ee.wake():p&&!x&&(g=0,be(!0)))});function ue(h,A=""){w||(w=!0,rt(),ee.stop(),te.stop(),e.clearTimeout(S),e.clearTimeout(
_),x?.close(4e3,"left"),x=null,p&&a.forget(),a.leave(),t.post(()=>{y=!0,d=!1,V.failAll(h);let N=He(A);o(!N||h.endsWith(N)?
h:`${h}: ${N}`),n(p?"onSessionStopped":"onClientJoinFailed",h)},"always"))}return S=e.setTimeout(()=>ue("timeout"),P?F(Ar,
r.timeoutMs):r.timeoutMs),be(a.token!==null),{mode:"client",isAuthority:!1,hostPort:0,peers:[],get isSessionActive(){return d&&
!y},get localConnectionId(){return d&&!y?i:0},get localRole(){return d&&!y?l:"none"},get sessionId(){return d&&!y?s:""},
get activeScene(){return ye.active},get context(){return d&&!y?ht:null},serverTime:()=>d&&ee.clock.synced?ee.clock.now(e.
now()):e.wall(),stop(){t.discard(),ue(p?"local_stop":"cancelled"),d=!1,y=!0},update(){if(!y){V.expire();for(let h of H.takeChanged())
h===fe?ie("onClientGameStateReplicated",H.gameState):h===Le(i)?ie("onClientPlayerStateReplicated",H.playerState(i)):h%4===
J&&!ae.has(Q(h))&&ie("onClientObjectReplicated",Q(h));!B||!x||(B=!1,G=!1,Ce())}},notifyClientSceneLoaded(h,A,N){y||ye.loaded(
h,A,`${N}`)},sendRpcToHost(h,A,N){let X={name:Ye(h),object:A,args:de(N)};if(w||!d)return Lo("not_connected");if(X.args.length>
c.args)return cn("too_large");if(V.inFlight>=c.callsInFlight)return cn("queue_full");let q={frame:X.args,isCall:!0,sent:()=>{
le.sent=!0}},le=V.open([1],!1,()=>te.cancel(q));return q.frame=Ke(T.rpc,{call:le.id,...X}),te.send(q),le.operation.op}};
function Lo(h){let A=Ee({log:e.log,later:N=>t.post(N,"always")});return t.post(()=>A.fail(h),"always"),A.op}function cn(h){
let A=V.open([1],!1,()=>!1);return t.post(()=>V.settle(A.id,1,h),"always"),A.operation.op}}function ko(e,t){let n=new D;function o(r,u){if(typeof r!="function")throw new C(`${e}: a listener is a function`);return n.
has(r)||n.set(r,u),()=>{n.delete(r)}}return{event:E.freeze({add:r=>o(r,!1),once:r=>o(r,!0),remove:r=>n.delete(r),clear:()=>n.
clear(),get count(){return n.size}}),emit(...r){for(let[u,f]of[...n])if(n.has(u)){f&&n.delete(u);try{u(...r)}catch(a){t.
error(`${e}: a listener threw:`,a)}}}}}var Pt=1;function Eo({sessionId:e,isActive:t,isPeer:n,say:o}){let r=new D,u=new D,f=new D,a=new he,i=0,s={sessionId:e,localConnectionId:Pt,
get writable(){return t()},changed:(g,S,P)=>{r.get(g.target)===g&&o("set",g.target,S,P)}},l=et(s,fe,"GameState",0,!1);r.
set(fe,l);function c(g){let S=Le(g),P=r.get(S)||et(s,S,"PlayerState",0,!1);return r.set(S,P),f.set(g,P.view),P}function p(g,S,P,_,U){
let L=et(s,g,S,P,_),B=Q(g);return r.set(g,L),u.set(B,L.view),U&&a.add(B),B>i&&(i=B),L}function d(g){let S=Q(g);return a.
delete(S),u.delete(S),r.delete(g)}function w(g){d(g)&&o("despawn",Q(g))}function y(g,S){for(let[P,_]of S)g.fields.has(P)||
g.fields.set(P,{key:0,raw:_,value:qe(_)})}function x(){if(!t())throw new ne("the session is over")}function k(g){if(g===
void 0||g===0||g===Pt||n(g))return g||0;throw new C(`no peer ${g} in the session`)}return{game:l,objects:u,players:f,change:{
spawn(g,S,P){x();let _=typeof g=="string"?W(g).length:0;if(_===0||_>128)throw new C("spawn: the type of an object is a t\
ext of 1 to 128 bytes");let{owner:U,persistent:L=!1,despawnWithOwner:B=!1,private:G=!1}=P||{},ee=k(U),te=sn(S||{}),V=i+1,
Ie=p(pt(V),g,ee,!!L,!!B);return y(Ie,te),o("spawn",V,g,ee,Ie.persistent,a.has(V),!!G,te),Ie.view},despawn(g){x(),w(pt(g))},
setOwner(g,S){x();let P=r.get(pt(g));if(!P)throw new C(`no object ${g} in the session`);P.owner=k(S),o("owner",g,P.owner)}},
restore([g,S,P,_,U,L]){g%4!==J?y(g===fe?l:c(Q(g)),S):r.has(g)||y(p(g,P,_,U,L),S)},addPlayer(g,S){y(c(g),S)},removePlayer(g){
f.delete(g),r.delete(Le(g))},orphan(g){for(let S of[...r.values()])S.target%4!==J||S.owner!==g||(a.has(Q(S.target))?w(S.
target):(S.owner=Pt,o("owner",Q(S.target),Pt)))},clear(){for(let g of[...u.keys()])w(pt(g))},leaveScene(g){x();for(let S of[
...r.values()])S.target%4===J&&!(g&&S.persistent)&&d(S.target)}}}function sn(e){let t=typeof e.names=="function"&&typeof e.
get=="function",n=t?e.names():E.keys(e),o=[];for(let r of n){if(W(r).length>128||r==="")throw new C("state: a name has 1\
 to 128 bytes");o.push([r,Xe(t?e.get(r):e[r])])}return o}function Oo(e,{callback:t,ids:n,say:o}){let r=new D,u=[];function f(i){let s=r.get(i);r.delete(i),s&&s.abort()}function a(i,s){
let l=r.get(i);if(!l)return;let c=w=>{let y=w!==null&&typeof w=="object"?w:{approved:w},x=y.playerState?sn(y.playerState):
[],k=y.role==="spectator"||y.role==="player"?y.role:"",O=Oe(`${y.reason||""}`,512);r.delete(i)&&o("decide",i,y.approved===
!0,O,k,x)},p=w=>{e.log.error("connectionApprovalCallback threw:",w),r.delete(i)&&o("decide",i,null,"","",[])},d=t();if(typeof d!=
"function")return c(!0);try{let w=d(E.freeze({projectId:n.projectId,buildHash:s.build,sessionId:n.sessionId,playerName:s.
name,asSpectator:s.spectator,userData:s.userData,provisionalConnectionId:i,remoteAddress:s.address,clientKind:s.kind,buildMatches:s.
buildMatches,signal:l.signal}));w&&typeof w.then=="function"?w.then(c).then(void 0,p):c(w)}catch(w){p(w)}}return{ask(i,s){
r.set(i,new ln),u.push(()=>a(i,s))},forget:f,decide(){let i=u;u=[];for(let s of i)s()},stop(){u=[];for(let i of[...r.keys()])
f(i)}}}var Rr=E.freeze({isValid:!1,connectionId:0,state:"gone",role:"player",playerName:"",clientKind:"browser",joinedAtEpochMs:0,
rttMs:0,jitterMs:0,transitionId:0,remoteAddress:"",userData:new j(0),stats:E.freeze({bytesIn:0,bytesOut:0,queuedBytes:0,
droppedRpcs:0})}),Ro=()=>Rr;function tt(e){return E.freeze({isValid:!0,connectionId:e.id,state:e.state,role:e.role,playerName:Ct(
e.name),clientKind:e.kind,joinedAtEpochMs:e.joinedAt,rttMs:e.rtt,jitterMs:e.jitter,transitionId:e.transition,remoteAddress:e.
address,userData:e.userData,stats:E.freeze({bytesIn:e.bytesIn,bytesOut:e.bytesOut,queuedBytes:e.queued,droppedRpcs:e.dropped})})}var Re=1,Io={size:32<<20,nesting:20,elements:1<<17},Ir=500,$r=2e3;function $o(e,{mail:t,emit:n,finished:o,approval:r},u,f,a){
let{sessionId:i}=u,s=!0,l=!1,c=!1,p=e.now(),d=new D,w=null,y=Oo(e,{callback:r,ids:u,say:G}),x={tid:0,uuid:"",name:"",instance:null},
k=null,O=null,g=Et({log:e.log,now:e.now,later:m=>t.post(m,"always")}),S=jt(e,{ping:(m,b)=>G("ping",m,b),silent(){}});S.clock.
start(f.hostMicros/1e3,e.now());let P=e.onWake(()=>{S.wake(),y.decide()}),_=Eo({sessionId:i,isActive:()=>s,isPeer:m=>d.has(
m),say:G}),U=Mt({ids:()=>u,gameState:()=>_.game.view,playerState:()=>_.players.get(Re),playerStates:_.players,objects:_.
objects,onRpc:g.handle,change:_.change}),L=[],B=!1;a.onopen=()=>{B=!0,S.start({pingMillis:1e4,timeoutMillis:6e5},f.hostMicros),
te()},a.onclose=()=>be(l?"local_stop":"connection_lost"),a.onmessage=m=>{let b;try{b=qe(new j(m),Io)}catch($){return e.log.
error("the launcher sent something else than events:",$),be("protocol_error")}for(let[$,...M]of b)V($,M);e.now()-p>Ir&&y.
decide()};function G(...m){ee(m)}function ee(m){!c&&L.push(m)===1&&Te.resolve().then(te)}function te(){if(!B||c||L.length===
0)return;let m=L;L=[],a.send(Xe(m,Io))}function V(m,b){let[$,...M]=b;if(!(l&&m!=="stopped"))switch(m){case"pong":return S.
pong({seq:b[0],t0:b[1],t1:b[2],t2:b[3]});case"approve":return y.ask($,M[0]);case"forget":return y.forget($);case"stopped":
return be(l?"local_stop":`${$}`);case"call":{let[K,se,ce,Y,_e]=M,Z=(Ue,z=new j(0))=>{_e&&G("reply",$,Ue,z)};return t.full?
Z("queue_full"):t.post(()=>wt(K,se,ce,Y,Z),"call",Y.length)}default:{let K=Ie[m];K&&t.post(()=>K(...b))}}}let Ie={state:ye,
peers:m=>{for(let b of m)d.has(b.id)&&d.set(b.id,tt(b))},connected(m,b){let $=d.has(m.id);d.set(m.id,tt(m)),_.addPlayer(
m.id,b),$||ae("onHostPeerConnected",d.get(m.id)),G("ready",m.id)},disconnected(m,b){d.has(m.id)&&(w=tt({...m,state:"gone"}),
d.delete(m.id),_.orphan(m.id),ae("onHostPeerDisconnected",m.id,b),w=null,_.removePlayer(m.id))},dropped:m=>H("onHostPeer\
Dropped",m),resumed:m=>H("onHostPeerResumed",m),load:ht,sceneLoaded:m=>H("onHostPeerSceneLoadComplete",m),activated(m,b){
ie(b),H("onHostPeerActivatedInScene",m)},complete(m){ie(m),ae("onHostSceneTransitionComplete",m)},aborted:(m,b)=>ae("onH\
ostTransitionAborted",m,b),result:(m,b,$,M)=>g.settle(m,b,dt.includes($)?$:"unknown",M),failed:(m,b)=>g.fail(m,`${b}`)};
function ae(m,...b){l||n(m,...b)}function H(m,b){d.has(b.id)&&(d.set(b.id,tt(b)),ae(m,b.id))}function ye(m){for(let b of m.
entities)_.restore(b);if(m.scene){let[b,$,M]=m.scene;x={tid:b,uuid:$,name:M,instance:null},k=Ne(e,x,null)}for(let b of m.
peers)d.set(b.id,tt(b));ae("onSessionStarted");for(let{id:b}of m.peers)d.has(b)&&ae("onHostPeerConnected",d.get(b))}function ht(m,b,$,M,K){
K&&(_.clear(),k=null),x={tid:m,uuid:b,name:$,instance:null};let se=x,ce=O&&O.uuid===b?O:{uuid:b,name:$},{sceneLoader:Y}=U;
(async()=>{let Z=typeof ce.load=="function"&&!ce.loaded&&await ce.load()||ce;return typeof Y=="function"?Y(Z,M):null})().
then(Z=>{x===se&&(se.instance=Ne(e,se,Z),G("loaded",m,!0,""))},Z=>{e.log.error(`the scene ${$} could not be loaded:`,Z),
G("loaded",m,!1,Oe(Z instanceof ne?Z.message:`${Z}`,512))})}function ie(m){x.tid===m&&(!k||k.transitionId!==m)&&(k=x.instance||
Ne(e,x,null))}function wt(m,b,$,M,K){let se=$===0?null:_.objects.get($);if(se===void 0)return K("no_object");if(se&&m!==
Re&&se.owner!==m&&g.handlers.has(b)&&!g.handlers.get(b)?.anyone)return K("not_owner");g.run(b,M,m,$,K)}function $e(m,b,$,M,K){
let se=Ye(m),ce=de($).slice();if(!s)return Ce(z=>z.fail("not_connected"));if(M.length===0)return Ce(z=>z.succeed([]));let Y=[
"call",0,se,b,ce,[]],_e=g.open(M,K,()=>M.includes(Re)||!L.includes(Y)?!1:(L=L.filter(z=>z!==Y),!0)),Z=(z,rt)=>t.post(()=>g.
settle(_e.id,z,rt));Y[1]=_e.id;let Ue=Y[5];for(let z of M)ce.length>f.maxArgs?Z(z,"too_large"):z===Re?t.post(()=>wt(Re,se,
b,ce,(rt,ue)=>t.post(()=>g.settle(_e.id,Re,rt,ue)))):d.has(z)?b!==0&&!_.objects.has(b)?Z(z,"no_object"):Ue.push(z):Z(z,"\
peer_gone");return Ue.length>0&&ee(Y),_e.operation.op}function Ce(m){let b=Ee({log:e.log,later:$=>t.post($,"always")});return t.
post(()=>m(b),"always"),b.op}function mt(){l||c||(G("stop"),te(),l=!0,s=!1,t.discard(),e.setTimeout(()=>be("local_stop"),
$r))}function be(m){c||(c=!0,s=!1,P(),S.stop(),a.close(1e3,""),y.stop(),t.post(()=>{l=!1,g.failAll(m);for(let[b,$]of[...d].
sort(([M],[K])=>M-K))w=E.freeze({...$,state:"gone"}),d.delete(b),n("onHostPeerDisconnected",b,"host_stopped");w=null,o(m),
n("onSessionStopped",m)},"always"))}return{get mode(){return f.dedicated?"dedicated":"host"},isAuthority:!0,get hostPort(){
return s?f.port:0},get joinCode(){return s?f.joinCode:""},get isSessionActive(){return s},get localConnectionId(){return s?
Re:0},localRole:"authority",get sessionId(){return s?i:""},get peers(){return[...d.values()].sort((m,b)=>m.connectionId-
b.connectionId)},get activeScene(){return k},get context(){return s?U:null},serverTime:()=>S.clock.now(e.now()),peer:m=>d.
get(m)||(w&&w.connectionId===m?w:void 0),stop:mt,beforeUpdate(){p=e.now(),y.decide()},update(){},disconnectPeer(m,b){if(m===
Re)throw new C("disconnectPeer: the host leaves by stop()");s&&d.has(m)?G("kick",m,Oe(`${b===void 0?"":b}`,512)):e.log.debug(
`disconnectPeer: no peer ${m}`)},hostLoadScene(m,b){let{uuid:$,name:M}=ro(m);_.leaveScene(b),b||(k=null),O=m,G("scene",$,
Oe(M,128),b)},sendRpcToConnection:(m,b,$,M)=>$e(m,b,$,[M],!1),sendRpcMulticast:(m,b,$,M)=>$e(m,b,$,[...new he(M)],!0),sendRpcToOwner(m,b,$){
let M=_.objects.get(b);return!M||M.owner===0?(Ye(m),Ce(K=>K.fail(M?"no_owner":"no_object"))):$e(m,b,$,[M.owner],!1)}}}function Co(){let e=[],t=0,n=0,o=0;function r(u){e=e.slice(t).filter(f=>u(f.kind)),t=0,n=0;for(let f of e)n+=f.bytes}return{
get full(){return e.length-t>=4096||n>8388608},get flooded(){return e.length-t>=2*4096},post(u,f="keep",a=0){e.push({kind:f,
bytes:a,order:++o,run:u}),n+=a},dropState:()=>r(u=>u!=="state"),discard:()=>r(u=>u==="always"),drain(){let u=o;for(;t<e.
length&&e[t].order<=u;){let f=e[t++];n-=f.bytes,f.run()}t===e.length?e=[]:e=e.slice(t),t=0}}}var Cr=["onHostPeerConnected","onHostPeerDisconnected","onSessionStarted","onSessionStopped","onClientJoinFailed","onCli\
entSceneLoadRequested","onClientSceneActivate","onClientGameStateReplicated","onClientPlayerStateReplicated","onClientOb\
jectReplicated","onHostSceneTransitionComplete","onHostPeerSceneLoadComplete","onHostPeerActivatedInScene","onHostPeerDr\
opped","onHostPeerResumed","onHostTransitionAborted","onClientConnectionLost","onClientConnectionResumed","onClientObjec\
tRemoved"],an={mode:"none",isAuthority:!1,hostPort:0,joinCode:"",isSessionActive:!1,localConnectionId:0,localRole:"none",
sessionId:"",peers:[],activeScene:null,context:null};function Mo(e,t){let n=new dn,o=f=>{let a=n.get(f);if(!a)throw new C(
"not a NetSessionManager");return a};class r{constructor(){let a=Co(),i={},s={role:null,lastError:"",approval:null,mail:a,
updating:!1,hooks:{mail:a,emit:(l,...c)=>i[l](...c),finished(l){s.lastError=l,s.role=null},approval:()=>s.approval}};n.set(
this,s);for(let l of Cr){let{event:c,emit:p}=ko(l,e.log);i[l]=p,xe(this,l,{value:c,enumerable:!0})}}get peerCount(){return(o(
this).role||an).peers.length}get serverTimeEpochMs(){let{role:a}=o(this);return a?a.serverTime():e.wall()}get lastError(){
return o(this).lastError}get connectionApprovalCallback(){return o(this).approval}set connectionApprovalCallback(a){if(a!=
null&&typeof a!="function")throw new C("connectionApprovalCallback is a function or null");o(this).approval=a||null}startHost(a,i,s,l,c={}){
let p=o(this),d={projectId:ot("projectId",a),sessionId:ot("sessionId",i),buildHash:ot("buildHash",s),port:l==null?null:Ur(
l),...Mr(c)};if(p.role)return nt(p,"a session is active already");if(!e.host)return nt(p,"only a game that runs in Conch\
 can host a session");let w=e.host.start(d);return w.ok?(p.lastError="",p.role=$o(e,p.hooks,d,w,e.host.link(w.link)),!0):
nt(p,He(`${w.error}`))}joinSession(a,i){let s=o(this),l=jr(a);if(s.role)return nt(s,"a session is active already");let c=Gn(
i);return c?t.local&&!qn(c,t.allowedHosts)?nt(s,`${c.text} is not on the local network; add it to Network > Allowed host\
s (network.allowedHosts in conch.json)`):(s.lastError="",s.role=Ao(e,s.hooks,l,c),!0):nt(s,`'${He(`${i}`).slice(0,100)}'\
 is not the address of a host; write host:${Yt}`)}stop(){let{role:a}=o(this);a&&a.stop()}update(a){let i=o(this);if(!i.updating){
i.updating=!0;try{i.role?.beforeUpdate&&i.role.beforeUpdate(),i.mail.drain(),i.role&&i.role.update()}finally{i.updating=
!1}}}getPeerForConnection(a){let{role:i}=o(this);return i&&i.peer&&i.peer(a)||Ro()}disconnectPeer(a,i){Uo(o(this),"disco\
nnectPeer").disconnectPeer(a,i)}hostLoadScene(a,i=!1){Uo(o(this),"hostLoadScene").hostLoadScene(a,!!i)}notifyClientSceneLoaded(a,i=!0,s=""){
let{role:l}=o(this);if(!l||!l.notifyClientSceneLoaded)throw new ne("notifyClientSceneLoaded: only a client of a session \
calls it");l.notifyClientSceneLoaded(a,!!i,s)}sendRpcToHost(a,i,s){return u(o(this),"sendRpcToHost","not_client",[a,Lt(i),
s])}sendRpcToConnection(a,i,s,l){return u(o(this),"sendRpcToConnection","not_host",[a,Lt(i),s,Nt(l,"connectionId")])}sendRpcToOwner(a,i,s){
return u(o(this),"sendRpcToOwner","not_host",[a,Lt(i),s])}sendRpcMulticast(a,i,s,l){if(!Me.isArray(l))throw new C("sendR\
pcMulticast: connectionIds is a list");let c=l.map(p=>Nt(p,"a connection id"));return u(o(this),"sendRpcMulticast","not_\
host",[a,Lt(i),s,c])}}for(let f of E.keys(an))xe(r.prototype,f,{get(){let a=o(this).role||an;return f==="joinCode"?a.joinCode||
"":f==="peers"?[...a.peers]:a[f]},configurable:!0});return xe(r,"name",{value:"NetSessionManager",configurable:!0}),r;function u(f,a,i,s){
if(de(s[2]),f.role&&f.role[a])return f.role[a](...s);let l=Ee({log:e.log,later:c=>f.mail.post(c,"always")});return f.mail.
post(()=>l.fail(f.role?i:"not_connected"),"always"),l.op}}function nt(e,t){return e.lastError=t,!1}function Uo(e,t){if(!e.
role||!e.role.isAuthority)throw new ne(`${t}: only the session host calls it`);return e.role}function ot(e,t){if(typeof t==
"string"&&/^[A-Za-z0-9._:+-]{1,128}$/.test(t))return t;throw new C(`${e} has 1 to 128 of the characters A-Z a-z 0-9 . _ \
: + -`)}function Nt(e,t){if(oe.isSafeInteger(e)&&e>=0)return e;throw new C(`${t} is a whole number, not ${e}`)}function Lt(e){
return Nt(e,"the id of an object")}function Ur(e){if(oe.isInteger(e)&&e>=0&&e<=65535)return e;throw new C(`startHost: th\
e port is a whole number from 0 to 65535, not ${e}`)}function Mr({password:e,open:t,maxPeers:n,anyBuild:o,origins:r}){let u={};
if(e!==void 0&&(u.password=`${e}`),t!==void 0&&(u.open=!!t),n!==void 0&&(u.maxPeers=Nt(n,"maxPeers")),o!==void 0&&(u.anyBuild=
!!o),r!==void 0){if(!Me.isArray(r))throw new C("startHost: origins is a list");u.origins=r.map(f=>`${f}`)}return u}function jr(e){
if(e===null||typeof e!="object")throw new C("joinSession: the request is an object with projectId and buildHash");let{projectId:t,
buildHash:n,sessionId:o,playerName:r="",password:u,joinCode:f="",asSpectator:a,userData:i,timeoutMs:s=1e4}=e,l=de(i).slice();
if(l.length>4096)throw new C(`joinSession: userData has ${l.length} bytes, at most 4096 are sent`);if(u!==void 0&&W(`${u}`).
length>1024)throw new C("joinSession: the password is longer than 1024 bytes");return{projectId:ot("projectId",t),buildHash:ot(
"buildHash",n),sessionId:o===void 0||o===""?"":ot("sessionId",o),playerName:Ct(r),password:u===void 0?void 0:`${u}`,joinCode:Ut(
`${f}`),asSpectator:!!a,userData:l,timeoutMs:oe.isFinite(s)?re(F(s,1e3),6e4):1e4}}var Pr=E.freeze({None:"none",Host:"host",Dedicated:"dedicated",Client:"client"}),Lr=E.freeze({None:"none",Authority:"aut\
hority",Player:"player",Spectator:"spectator"});function jo(e,t){let{origin:n,allowedHosts:o}=t;return{NetSessionManager:Mo(
vn(e,t),{local:n!=="",allowedHosts:o}),NetSessionMode:Pr,NetRole:Lr,DataStream:ge}}var Se=globalThis,Po=Symbol.for("conch.session");function Nr(){let e=Se[Po];return delete Se[Po],e||{driver:bn(Se.WebSocket),
log:_n({debug:!1},bt),origin:"",allowedHosts:[]}}if(Se.document&&!(Se.conch&&Se.conch.NetSessionManager)){let e=jo(Se,Nr()),
{NetSessionManager:t}=e,n=E.freeze({version:"1.0",...Se.conch,...e});for(let[o,r]of[["conch",n],["NetSessionManager",t]])
xe(Se,o,{value:r,writable:!0,configurable:!0})}})();
