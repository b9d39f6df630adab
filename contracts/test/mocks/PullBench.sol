// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PullFactory} from "../../src/PullFactory.sol";
import {TestCbBTC} from "../../src/local/TestCbBTC.sol";
import {Bench} from "./Bench.sol";
import {vm} from "./Vm.sol";

abstract contract PullBench is Bench {
    struct Signed {
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    uint256 internal constant KEY = 0xa11ce;
    uint256 internal constant FUNDS = 1_000;
    uint256 internal constant AMOUNT = 400;
    uint256 internal constant DEADLINE = 2_000_000;

    PullFactory internal pulls = new PullFactory();
    TestCbBTC internal token = new TestCbBTC();
    address internal payer = vm.addr(KEY);
    address internal split;
    address internal deposit;

    function setUp() external {
        split = address(splitOf(person("a"), person("b")));
        deposit = factory.depositAddress(split, REF);
        token.mint(payer, FUNDS);
        vm.warp(1_000_000);
    }

    function pullerOf(address to, uint256 amount) internal view returns (address) {
        return pulls.pullerAddress(to, address(token), amount, DEADLINE);
    }

    function permitTo(address spender) internal view returns (Signed memory) {
        return sign(spender, token.DOMAIN_SEPARATOR());
    }

    function sign(address spender, bytes32 domain) internal view returns (Signed memory signed) {
        bytes32 message =
            keccak256(abi.encode(PERMIT_TYPEHASH, payer, spender, AMOUNT, token.nonces(payer), DEADLINE));
        (signed.v, signed.r, signed.s) = vm.sign(KEY, keccak256(abi.encodePacked(hex"1901", domain, message)));
    }

    function pull(address to, uint256 amount, Signed memory signed) internal {
        pulls.pullWithPermit(to, address(token), amount, DEADLINE, payer, signed.v, signed.r, signed.s);
    }
}
