// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IPermit2} from "../../src/IPermit2.sol";
import {PullFactory} from "../../src/PullFactory.sol";
import {Bench} from "./Bench.sol";
import {PERMIT2_DEPLOYMENT} from "./Permit2Code.sol";
import {vm} from "./Vm.sol";

interface IWholePermit2 is IPermit2 {
    function permitTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes calldata signature
    ) external;
    function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external;
    function nonceBitmap(address owner, uint256 wordPos) external view returns (uint256);
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

/// @dev Replacement for the CREATE2 deployer, which has the same address on every chain.
contract Create2Stand {
    fallback() external {
        bytes32 salt = bytes32(msg.data[:32]);
        bytes memory code = msg.data[32:];
        assembly {
            if iszero(create2(0, add(code, 0x20), mload(code), salt)) { revert(0, 0) }
        }
    }
}

abstract contract Permit2Bench is Bench {
    struct Order {
        address token;
        uint256 amount;
        address spender;
        uint256 nonce;
        uint256 deadline;
        address to;
    }

    IWholePermit2 internal constant PERMIT2 = IWholePermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);
    address private constant CREATE2_DEPLOYER = 0x4e59b44847b379578588920cA78FbF26c0B4956C;
    bytes32 private constant TOKEN_TYPEHASH = keccak256("TokenPermissions(address token,uint256 amount)");
    bytes32 private constant ORDER_TYPEHASH = keccak256(
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Payment witness)Payment(address to)TokenPermissions(address token,uint256 amount)"
    );

    uint256 internal constant KEY = 0xa11ce;
    uint256 internal constant FUNDS = 1_000;
    uint256 internal constant AMOUNT = 400;
    uint256 internal constant DEADLINE = 2_000_000;

    PullFactory internal pulls = new PullFactory();
    address internal payer = vm.addr(KEY);
    address internal split;
    address internal deposit;

    function setUp() public virtual {
        vm.etch(CREATE2_DEPLOYER, address(new Create2Stand()).code);
        (bool done,) = CREATE2_DEPLOYER.call(PERMIT2_DEPLOYMENT);
        require(done && address(PERMIT2).code.length > 0, "Permit2 does not stand");
        split = address(splitOf(person("a"), person("b")));
        deposit = factory.depositAddress(split, REF);
        usdt.mint(payer, FUNDS);
        vm.prank(payer);
        usdt.approve(address(PERMIT2), type(uint256).max);
        vm.warp(1_000_000);
    }

    function orderTo(address to) internal view returns (Order memory) {
        return Order(
            address(usdt),
            AMOUNT,
            address(pulls),
            pulls.permit2Nonce(to, address(usdt), AMOUNT),
            DEADLINE,
            to
        );
    }

    function sign(Order memory order) internal view returns (bytes memory) {
        return signIn(order, PERMIT2.DOMAIN_SEPARATOR());
    }

    function signIn(Order memory order, bytes32 domain) internal pure returns (bytes memory) {
        bytes32 message = keccak256(
            abi.encode(
                ORDER_TYPEHASH,
                keccak256(abi.encode(TOKEN_TYPEHASH, order.token, order.amount)),
                order.spender,
                order.nonce,
                order.deadline,
                keccak256(abi.encode(keccak256("Payment(address to)"), order.to))
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, keccak256(abi.encodePacked(hex"1901", domain, message)));
        return abi.encodePacked(r, s, v);
    }

    function pull(bytes memory signature) internal {
        pulls.pullWithPermit2(deposit, address(usdt), AMOUNT, DEADLINE, payer, signature);
    }

    function nonceIsUsed(uint256 nonce) internal view returns (bool) {
        return PERMIT2.nonceBitmap(payer, nonce >> 8) >> (nonce & 0xff) & 1 == 1;
    }
}
